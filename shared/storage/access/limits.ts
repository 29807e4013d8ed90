import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { LIMIT_SHARDS, shardOf } from '../table-indexes.ts';
import { counterRow, type Limited, partOf, readOwn, readShards, spreadWrites } from './counters.ts';

/** A counter with a limit: its organization, kind, and maximum. */
export interface Limit {
  readonly organizationId: Id<'organization'>;
  readonly counted: Limited;
  readonly max: number;
}

/**
 * Counts one object on a shard, within the shard's part of the limit. The parts add up to the limit, and no shard exceeds its part, so the
 * limit is exact whichever shards are used.
 */
const countWithin = ({ organizationId, counted, max }: Limit, shard: number): WriteOp => ({
  update: KEYS.counter(organizationId, counted, shard),
  add: { count: 1 },
  when: {
    text: ':part > :none AND (attribute_not_exists(#count) OR #count < :part)',
    values: { part: partOf(max, shard), none: 0 },
  },
});

/**
 * Subtracts an object from the counter, in the transaction that deletes it: on the shard of its id, wherever it was counted. A negative
 * shard has as much more room as another one lacks.
 */
export const countDown = (organizationId: Id<'organization'>, counted: Limited, objectId: string): WriteOp => ({
  update: KEYS.counter(organizationId, counted, shardOf(objectId, LIMIT_SHARDS)),
  add: { count: -1 },
});

/** Counters that this process knows to have been moved from the organizations' own rows, where older versions kept them. */
const moved = new WeakMap<Table, Set<string>>();
const MAX_MOVED = 10_000;

/**
 * Moves a counter from the organization's own row, where it would not be limited. One read, and none once this process knows that it is
 * done.
 */
const moveOwn = async (table: Table, { organizationId, counted }: Limit): Promise<void> => {
  const known = moved.get(table) ?? new Set();
  moved.set(table, known);
  const name = `${organizationId} ${counted}`;
  if (known.has(name)) return;
  for (let own = await readOwn(table, organizationId, counted); own !== 0; ) {
    const when = { text: `#${counted} = :own`, values: { own } };
    await table.transact([
      { update: KEYS.organization(organizationId), remove: [counted], when },
      ...spreadWrites(organizationId, counted, own),
    ]);
    own = await readOwn(table, organizationId, counted);
  }
  if (known.size >= MAX_MOVED) known.clear();
  known.add(name);
};

const shardNumber = z.object({ sk: z.string().transform((sk) => Number(sk.split('#').at(-1))) });

/** Any shard with room; undefined if the limit is reached. One query. */
const shardWithRoom = async (table: Table, { organizationId, counted, max }: Limit): Promise<number | undefined> => {
  const rows = await readShards(table, organizationId, counted);
  const counts = new Map(rows.map((row) => [shardNumber.parse(row).sk, counterRow.parse(row).count]));
  const free = Array.from({ length: LIMIT_SHARDS }, (_, shard) => shard).filter(
    (shard) => (counts.get(shard) ?? 0) < partOf(max, shard),
  );
  return free[Math.floor(Math.random() * free.length)];
};

/** Shards that a creation tries, since others may use up one's room meanwhile. */
const MAX_ATTEMPTS = 8;

/**
 * Creates an object that counts towards a limit: `create` gets the counting write for its transaction, and is called again with another one
 * if `isFull` of its outcome. Creations contend only if their ids share a shard; the limit is exact. One round trip; near the limit a query
 * and another attempt.
 */
export const createWithin = async <O>(
  table: Table,
  limit: Limit,
  objectId: string,
  create: (count: WriteOp) => Promise<O>,
  isFull: (outcome: O) => boolean,
): Promise<O> => {
  await moveOwn(table, limit);
  let outcome = await create(countWithin(limit, shardOf(objectId, LIMIT_SHARDS)));
  for (let attempt = 1; attempt < MAX_ATTEMPTS && isFull(outcome); attempt++) {
    const shard = await shardWithRoom(table, limit);
    if (shard === undefined) return outcome;
    outcome = await create(countWithin(limit, shard));
  }
  return outcome;
};

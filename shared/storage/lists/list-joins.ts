import * as z from 'zod';
import { NumberSet } from '../../domain/audience/number-set.ts';
import type { Tenant } from '../../domain/core/actor.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { usesJourneys } from '../automation/journey-use.ts';
import { id, tenant, time, ttlAfter } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';

/** Contacts that joined a list in one edit, while it triggers journeys: they enter page by page. */
export interface ListJoin extends Tenant {
  readonly listId: Id<'list'>;
  /** Unique to the edit. */
  readonly edit: string;
  /** When they joined, in ms. */
  readonly at: number;
  readonly chunks: readonly number[];
  /** Contacts with numbers from here on have entered. */
  readonly below?: number | undefined;
}
const joinRows = defineRow<ListJoin>()({
  attributes: {
    ...tenant,
    listId: id('list'),
    edit: z.string(),
    at: time,
    chunks: z.array(z.int()),
    below: z.int().optional(),
  },
  key: ({ listId, edit }) => KEYS.listJoin(listId, edit),
  index: ({ listId, edit, at }) => INDEX_KEYS.due('journey_work', `${listId}#${edit}`, at),
});
const chunkRow = z.object({ members: z.instanceof(Uint8Array) });

/** The environment of a trigger's journey. */
const triggerRow = z.object({ env: tenant.env });

/** How long chunks of an edit that was never committed are kept, in ms: far longer than a committed one takes to process. */
const KEPT_MS = 30 * 24 * 3_600_000;

type Listed = Pick<ListJoin, 'listId'> & Pick<Tenant, 'organizationId'>;

/** The environment of the journeys that a list triggers; undefined if none. Two consistent reads. */
const environmentOf = async (table: Table, { organizationId, listId }: Listed): Promise<Tenant['env'] | undefined> => {
  if (!(await usesJourneys(table, organizationId))) return undefined;
  const { pk: partition, sk: prefix } = KEYS.journeyTrigger(organizationId, 'lista', listId, '');
  const sort = { text: 'begins_with(#sk, :prefix)', values: { prefix } };
  const { rows } = await table.query({ partition, sort, consistent: true, limit: 1 });
  return rows[0] && triggerRow.parse(rows[0]).env;
};

/**
 * The writes that enter contacts who join a list into journeys, for the transaction that commits an edit; none if no journey is triggered.
 * Their numbers are stored before, under the edit's own name: without the transaction they have no effect.
 */
export const joinWrites = async (
  table: Table,
  listed: Listed,
  edit: string,
  joined: NumberSet,
  now: number,
): Promise<WriteOp[]> => {
  const env = joined.size === 0 ? undefined : await environmentOf(table, listed);
  if (!env) return [];
  const { organizationId, listId } = listed;
  const { chunks } = joined;
  await table.putMany(
    chunks.map((chunk) => ({
      ...KEYS.listJoinChunk(listId, edit, chunk),
      org: organizationId,
      members: joined.encode(chunk),
      ttl: ttlAfter(now + KEPT_MS),
    })),
  );
  return [{ put: joinRows.write({ organizationId, env, listId, edit, at: now, chunks }) }];
};

/** The work items that process joins early, from the result of `joinWrites`. */
export const joinWorkItems = (writes: readonly WriteOp[], owner: Id<'organization'>): Publishable[] =>
  writes.flatMap((write) =>
    'put' in write ? [{ kind: 'journey_work' as const, pk: write.put.pk, sk: write.put.sk, owner }] : [],
  );

/** A join that is still in progress. */
export const readJoin = (
  table: Table,
  key: { readonly pk: string; readonly sk: string },
): Promise<ListJoin | undefined> => readRow(table, key, joinRows.read);

/** The next of its contacts, by number, descending. */
export const joinedBelow = async (
  table: Table,
  { listId, edit, chunks, below = Number.POSITIVE_INFINITY }: ListJoin,
  limit: number,
): Promise<readonly number[]> => {
  const rows = await table.getMany(
    chunks.map((chunk) => KEYS.listJoinChunk(listId, edit, chunk)),
    { consistent: true },
  );
  const members = NumberSet.decode(
    rows.flatMap((row, at) => (row ? [[chunks[at] ?? 0, chunkRow.parse(row).members] as const] : [])),
  );
  const found: number[] = [];
  for (const number of members) {
    if (found.length === limit) break;
    if (number < below) found.push(number);
  }
  return found;
};

/** Stores the progress of a join. */
export const moveJoin = async (table: Table, { listId, edit }: ListJoin, below: number): Promise<void> => {
  await table.write({
    update: KEYS.listJoin(listId, edit),
    set: { below },
    when: { text: 'attribute_exists(#pk)' },
  });
};

/** Ends a join. */
export const endJoin = async (table: Table, { listId, edit, chunks }: ListJoin): Promise<void> => {
  for (const chunk of chunks) await table.write({ delete: KEYS.listJoinChunk(listId, edit, chunk) });
  await table.write({ delete: KEYS.listJoin(listId, edit) });
};

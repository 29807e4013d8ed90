import * as z from 'zod';
import { KEYS } from '../access-patterns.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { COUNTS_KEPT_SECONDS, OutcomeSums } from './outcome-counts.ts';
import type { PlacedChange, StreamBatch } from './stream-changes.ts';

/** Rows that are counted in one transaction, which takes 100: a change adds to two at most, and one is the shard's. */
const MAX_ROWS = 90;

const shardRow = z.object({ countedTo: z.string() });

/** The place up to which a shard of the table's stream was counted; undefined where nothing was. */
export const readCountedTo = async (table: Table, shardId: string): Promise<string | undefined> => {
  const row = await table.get(KEYS.metricsShard(shardId));
  return row && shardRow.parse(row).countedTo;
};

/** As many of the changes as one transaction counts. */
const firstOf = (changes: readonly PlacedChange[]) => {
  const sums = new OutcomeSums();
  let taken = 0;
  for (const change of changes) {
    if (sums.size >= MAX_ROWS) break;
    sums.add(change);
    taken += 1;
  }
  return { sums, taken, to: changes[taken - 1]?.place ?? '' };
};

/** The place up to which a shard is counted, for the transaction that counts it there from another place. */
const shardWrite = (shardId: string, from: string | undefined, to: string, now: number): WriteOp => ({
  update: KEYS.metricsShard(shardId),
  set: { countedTo: to, ttl: Math.ceil(now / 1_000) + COUNTS_KEPT_SECONDS },
  // Condition: no other consumer counted what this transaction counts.
  when: from === undefined ? ABSENT : { text: '#countedTo = :from', values: { from } },
});

/** Counts what stands after a place; false as soon as the shard is counted to another one. */
const countAfter = async (
  table: Table,
  { shardId, changes }: StreamBatch,
  countedTo: string | undefined,
  now: number,
): Promise<boolean> => {
  let from = countedTo;
  let left = changes.filter(({ place }) => countedTo === undefined || place > countedTo);
  while (left.length > 0) {
    const { sums, taken, to } = firstOf(left);
    const writes = sums.writes(shardId);
    if (writes.length > 0) {
      const { ok } = await table.transact([...writes, shardWrite(shardId, from, to, now)]);
      if (!ok) return false;
      from = to;
    }
    left = left.slice(taken);
  }
  return true;
};

/**
 * Counts the changes of a batch, each once, whoever repeats the batch, in whatever pieces, at the same time or later: the counts and the place up to
 * which the shard is counted are one transaction, whose condition is the place before it. The records of a shard must first arrive in their order,
 * as the stream delivers them; those of different shards may arrive in any. Throws `Unavailable`; then the batch is to be repeated.
 */
export const countChanges = async (table: Table, batch: StreamBatch, now: number): Promise<void> => {
  if (batch.changes.length === 0) return;
  // Another consumer of the shard was faster, or this one was and did not hear of it: what is left stands after the shard's new place.
  while (!(await countAfter(table, batch, await readCountedTo(table, batch.shardId), now)));
};

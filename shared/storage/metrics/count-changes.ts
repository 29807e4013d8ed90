import * as z from 'zod';
import { KEYS } from '../access-patterns.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { COUNTS_KEPT_SECONDS, OutcomeSums } from './outcome-counts.ts';
import type { PlacedChange, StreamBatch } from './stream-changes.ts';

/** Rows of counts in one transaction, whose limit is 100: a change adds to two at most, and one more row is the checkpoint. */
const MAX_ROWS = 90;

const shardRow = z.object({ countedTo: z.string() });

/** The checkpoint of a shard of the table's stream: the place up to which it is counted; undefined if there is none yet. */
export const readCountedTo = async (table: Table, shardId: string): Promise<string | undefined> => {
  const row = await table.get(KEYS.metricsShard(shardId));
  return row && shardRow.parse(row).countedTo;
};

/** As many of the changes as fit one transaction. */
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

/** Moves the checkpoint of a shard, in the transaction that counts the changes up to it. */
const shardWrite = (shardId: string, from: string | undefined, to: string, now: number): WriteOp => ({
  update: KEYS.metricsShard(shardId),
  set: { countedTo: to, ttl: Math.ceil(now / 1_000) + COUNTS_KEPT_SECONDS },
  // Condition: no other consumer counted what this transaction counts.
  when: from === undefined ? ABSENT : { text: '#countedTo = :from', values: { from } },
});

/** Counts the changes after a place; false as soon as the checkpoint is elsewhere. */
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
 * Counts each change of a batch once, even if the batch is repeated, split differently, or processed concurrently: the counts and the shard's
 * checkpoint are one transaction, whose condition is the checkpoint before it. A shard's records must first arrive in order, as the stream delivers
 * them; shards may be read in any order. Throws `Unavailable`; repeat the batch then.
 */
export const countChanges = async (table: Table, batch: StreamBatch, now: number): Promise<void> => {
  if (batch.changes.length === 0) return;
  // Another consumer of the shard was faster, or an earlier transaction's answer was lost: continue from the shard's new checkpoint.
  while (!(await countAfter(table, batch, await readCountedTo(table, batch.shardId), now)));
};

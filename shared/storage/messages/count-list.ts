import type { ShardedRange } from '../client/pages.ts';
import type { Key } from '../client/row.ts';
import { messageRange, readListShards } from './message-lists.ts';
import { countRun, type FilteredList } from './totals/count-run.ts';
import { type Counting, continueCounting, endCounting, readCounting, restCounting } from './totals/counting.ts';
import { cover } from './totals/cover.ts';
import { countableFrom, type ListReading, WORTH_STORING } from './totals/filtered-total.ts';

/** Entries that a pass reads into memory: about 30 MB, and a few seconds. */
const PASS_ENTRIES = 100_000;

const listOf = async (
  { table }: ListReading,
  { organizationId, channel, campaignId, batchId }: Counting,
): Promise<FilteredList> => {
  // Not from the row: a list may have got more shards since.
  const shards = await readListShards(table, organizationId);
  const range: ShardedRange = messageRange(organizationId, channel, { campaignId }, undefined, shards);
  return { range, filter: { batchId }, marked: { organizationId, channel, shards, campaignId } };
};

/** Counts settled hours and days of a list that are not counted yet, as many as a pass reads. Answers the time that is left, ms. */
const countPass = async (reading: ListReading, counting: Counting, entries: number): Promise<number> => {
  const now = reading.clock();
  const list = await listOf(reading, counting);
  const budget = { left: entries };
  let left = 0;
  for (const run of cover({ from: countableFrom(reading, now), until: now }, now).runs) {
    const limits = { budget, worthStoring: reading.smallList === undefined ? WORTH_STORING : reading.smallList / 4 };
    const spans = budget.left > 0 ? (await countRun(reading.table, list, run, limits)).beyond : [run];
    left += spans.reduce((sum, { from, until }) => sum + until - from, 0);
  }
  return left;
};

/**
 * A pass of counting a list in the background. True if there is more to count, which is due at once. Safe under repeats, and beside readers
 * and other passes: counts never change.
 */
export const countListOn = async (reading: ListReading, key: Key, entries = PASS_ENTRIES): Promise<boolean> => {
  const { table, clock } = reading;
  const counting = await readCounting(table, key);
  if (!counting) return false;
  const leftMs = await countPass(reading, counting, entries);
  if (leftMs === 0) await endCounting(table, counting);
  else if (leftMs >= (counting.leftMs ?? Number.POSITIVE_INFINITY)) await restCounting(table, counting, clock());
  else await continueCounting(table, { ...counting, leftMs }, clock());
  return leftMs > 0 && leftMs < (counting.leftMs ?? Number.POSITIVE_INFINITY);
};

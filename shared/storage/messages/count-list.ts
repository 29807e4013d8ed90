import type { ShardedRange } from '../client/pages.ts';
import type { Key } from '../client/row.ts';
import { messageRange, readListShards } from './message-lists.ts';
import { countRun, type FilteredList } from './totals/count-run.ts';
import { type Counting, continueCounting, endCounting, readCounting, restCounting } from './totals/counting.ts';
import { cover } from './totals/cover.ts';
import { countableFrom, type ListReading, SMALL_LIST } from './totals/filtered-total.ts';
import { continuePartial, endOfPartial, type PartialCount, startPartial } from './totals/partial-count.ts';
import type { Budget } from './totals/read-entries.ts';

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

/**
 * Counts settled hours and days of a list that are not counted yet, as far as the budget allows. The first of those that exceed it, to be
 * counted part by part.
 */
const countWhole = async (
  reading: ListReading,
  list: FilteredList,
  since: number,
  budget: Budget,
): Promise<PartialCount | undefined> => {
  const now = reading.clock();
  const limits = { budget, worthStoring: (reading.smallList ?? SMALL_LIST) / 4 };
  const from = Math.max(since, countableFrom(reading, now));
  for (const run of cover({ from, until: now }, now).runs) {
    const [first] = (await countRun(reading.table, list, run, limits)).beyond;
    if (first) return startPartial(run.kind, first.from);
  }
  return undefined;
};

type Progress = Pick<Counting, 'partial' | 'from'>;

/** A pass over a list; undefined if nothing is left. */
const countPass = async (
  reading: ListReading,
  { partial, ...counting }: Counting,
  entries: number,
): Promise<Progress | undefined> => {
  const list = await listOf(reading, counting);
  const budget = { left: entries };
  let { from } = counting;
  if (partial) {
    const counted = await continuePartial(reading.table, list, partial, budget);
    const end = endOfPartial(partial);
    if (counted && counted.at < end) return { partial: counted, from };
    if (!counted) from = end;
    if (budget.left <= 0) return { from };
  }
  const next = await countWhole(reading, list, from, budget);
  if (!next && from === counting.from) return undefined;
  return { partial: next, from };
};

/**
 * A pass of counting a list in the background. True if there is more to count, which is due at once. Safe under repeats, and beside readers
 * and other passes: counts never change.
 */
export const countListOn = async (reading: ListReading, key: Key, entries = PASS_ENTRIES): Promise<boolean> => {
  const { table, clock } = reading;
  const counting = await readCounting(table, key);
  if (!counting) return false;
  const progress = await countPass(reading, counting, entries);
  if (progress) await continueCounting(table, { ...counting, partial: undefined, ...progress }, clock());
  else if (counting.from > 0) await restCounting(table, counting, clock());
  else await endCounting(table, counting);
  return progress !== undefined;
};

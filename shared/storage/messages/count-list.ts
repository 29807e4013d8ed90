import type { ShardedRange } from '../client/pages.ts';
import type { Key } from '../client/row.ts';
import { messageRange, readListShards } from './message-lists.ts';
import { lengthOf } from './totals/count-rows.ts';
import { countRun, type FilteredList } from './totals/count-run.ts';
import { type Counting, continueCounting, endCounting, readCounting, restCounting } from './totals/counting.ts';
import { cover, type Span } from './totals/cover.ts';
import { countableFrom, type ListReading, SMALL_LIST } from './totals/filtered-total.ts';

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

/** The length (ms) of all that a pass left to be counted, and the first hour or day of it. */
interface Left {
  readonly ms: number;
  readonly first: Span | undefined;
}

/** Counts settled hours and days of a list that are not counted yet, as many as a pass reads. */
const countPass = async (reading: ListReading, counting: Counting, entries: number): Promise<Left> => {
  const now = reading.clock();
  const list = await listOf(reading, counting);
  const budget = { left: entries };
  const limits = { budget, worthStoring: (reading.smallList ?? SMALL_LIST) / 4 };
  const from = Math.max(counting.from, countableFrom(reading, now));
  let ms = 0;
  let first: Span | undefined;
  for (const run of cover({ from, until: now }, now).runs) {
    const spans = budget.left > 0 ? (await countRun(reading.table, list, run, limits)).beyond : [run];
    for (const span of spans) {
      ms += span.until - span.from;
      first ??= { from: span.from, until: span.from + lengthOf(run.kind) };
    }
  }
  return { ms, first };
};

/**
 * A pass of counting a list in the background. True if there is more to count, which is due at once. An hour or day that has more messages
 * than a pass counts is left out. Safe under repeats, and beside readers and other passes: counts never change.
 */
export const countListOn = async (reading: ListReading, key: Key, entries = PASS_ENTRIES): Promise<boolean> => {
  const { table, clock } = reading;
  const counting = await readCounting(table, key);
  if (!counting) return false;
  const { ms, first } = await countPass(reading, counting, entries);
  if (!first) {
    await (counting.from > 0 ? restCounting(table, counting, clock()) : endCounting(table, counting));
    return false;
  }
  const isStuck = ms >= (counting.leftMs ?? Number.POSITIVE_INFINITY);
  const next = isStuck ? { from: first.until, leftMs: undefined } : { leftMs: ms };
  await continueCounting(table, { ...counting, ...next }, clock());
  return true;
};

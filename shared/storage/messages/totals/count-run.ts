import type { ShardedRange } from '../../client/pages.ts';
import type { Table } from '../../client/table.ts';
import { type CountedAs, lengthOf, readCounts, sizeOf, writeCounts } from './count-rows.ts';
import { beginnings, gaps, KINDS, type Run, type Span } from './cover.ts';
import { type LateMessage, type Mark, type Marked, readLate, readMarks } from './late-marks.ts';
import { type Counts, type Facts, groupMatcher, groupOf, type ListFilter, matches } from './list-filter.ts';
import { type Budget, type Entry, readEntries } from './read-entries.ts';

/** A list of messages whose total is asked for: its index partitions, what of it matches, and where late changes of its messages are marked, if they change. */
export interface FilteredList {
  readonly range: ShardedRange;
  readonly filter: ListFilter;
  readonly marked: Marked | undefined;
}

/** What may be read for an answer, and what of it is stored. */
export interface Limits {
  readonly budget: Budget;
  /** So many entries have to be read of a run before their counts are stored: fewer are read again as cheaply. */
  readonly worthStoring: number;
}
/** An hour or day of which more than a few, and than one message in so many, changed late is counted by reading it: a message costs 32 times as much as an entry. */
const FEW_LATE = 8;
const ENTRIES_PER_MESSAGE = 32;

/** What was counted of a run, and the spans of it that are left to be counted by reading them. */
export interface CountedRun {
  readonly total: number;
  readonly left: readonly Span[];
}

const byBeginning = <T extends { readonly createdAt: number }>(run: Run, items: readonly T[]): Map<number, T[]> => {
  const length = lengthOf(run.kind);
  return Map.groupBy(items, ({ createdAt }) => run.from + Math.floor((createdAt - run.from) / length) * length);
};

/** What an hour or day counted when it was settled: its entries, but those that changed since as they were. */
const settledCounts = (entries: readonly Entry[], late: readonly LateMessage[], byBatch: boolean): Counts => {
  const isLate = new Set<string>(late.map(({ id }) => id));
  const counts: Record<string, number> = {};
  const add = (facts: Facts | undefined) => {
    if (!facts) return;
    const group = groupOf(facts, byBatch);
    counts[group] = (counts[group] ?? 0) + 1;
  };
  for (const { id, facts } of entries) if (!isLate.has(id)) add(facts);
  for (const { settled } of late) add(settled);
  return counts;
};

/** What is known of a run before late changes: stored counts, and entries that were read where none are; both by hour or day. */
interface Known {
  readonly stored: ReadonlyMap<number, Counts>;
  readonly fresh: ReadonlyMap<number, readonly Entry[]>;
  /** What the budget did not suffice for. */
  readonly left: readonly Span[];
  readonly isWorthStoring: boolean;
}

const readKnown = async (
  table: Table,
  list: FilteredList,
  of: CountedAs,
  run: Run,
  { budget, worthStoring }: Limits,
): Promise<Known> => {
  const stored = await readCounts(table, of, run);
  const read = await Promise.all(
    gaps(run, [...stored.keys()]).map(async (gap) => ({
      gap,
      ...(await readEntries(table, list.range, run.kind, gap, budget)),
    })),
  );
  const entries = read.flatMap((each) => each.entries);
  const fresh = new Map<number, readonly Entry[]>(byBeginning(run, entries));
  // Before the first entry of a list there may be decades without one: nothing is stored of them, and reading them costs half a unit.
  const first = Math.min(...stored.keys(), ...fresh.keys());
  for (const { gap, until } of read)
    for (const at of beginnings(run.kind, { from: Math.max(gap.from, Math.min(first, until)), until }))
      if (!fresh.has(at)) fresh.set(at, []);
  const left = read.flatMap(({ gap, until }) => (until < gap.until ? [{ from: until, until: gap.until }] : []));
  return { stored, fresh, left, isWorthStoring: entries.length >= worthStoring };
};

/** Whether so many messages of an hour or day changed late that reading all of its entries costs less. */
const areMany = (marks: readonly Mark[], size: number): boolean =>
  marks.length > FEW_LATE && marks.length * ENTRIES_PER_MESSAGE > size;

/**
 * Counts a run of settled hours or days: by their stored counts, and the messages that changed since. Counts that are missing are made from the
 * entries, and stored. Marks are read after the entries: a change that an entry shows was marked before it.
 */
export const countRun = async (table: Table, list: FilteredList, run: Run, limits: Limits): Promise<CountedRun> => {
  const of = { list: list.range.partition, byBatch: list.filter.batchId !== undefined };
  const known = await readKnown(table, list, of, run, limits);
  const marks = byBeginning(run, list.marked ? await readMarks(table, list.marked, run) : []);
  const marksAt = (at: number): readonly Mark[] => marks.get(at) ?? [];
  const isDear = (at: number): boolean => {
    const counts = known.stored.get(at);
    return areMany(marksAt(at), counts ? sizeOf(counts) : (known.fresh.get(at)?.length ?? 0));
  };
  const starts = [...known.stored.keys(), ...known.fresh.keys()];
  const cheap = starts.filter((at) => !isDear(at));
  const late = byBeginning(run, await readLate(table, cheap.flatMap(marksAt), KINDS[run.kind].level));
  const made = new Map(
    cheap.flatMap((at) => {
      const entries = known.fresh.get(at);
      return entries ? [[at, settledCounts(entries, late.get(at) ?? [], of.byBatch)] as const] : [];
    }),
  );
  if (known.isWorthStoring) await writeCounts(table, of, run.kind, made);
  const isMatch = groupMatcher(list.filter);
  const isMatching = (facts: Facts | undefined) => (facts && matches(facts, list.filter) ? 1 : 0);
  let total = 0;
  for (const at of cheap) {
    const counts = known.stored.get(at) ?? made.get(at) ?? {};
    for (const [group, count] of Object.entries(counts)) if (isMatch(group)) total += count;
    for (const { now, settled } of late.get(at) ?? []) total += isMatching(now) - isMatching(settled);
  }
  const dear = starts.filter(isDear);
  for (const at of dear) for (const { facts } of known.fresh.get(at) ?? []) total += isMatching(facts);
  const unread = dear.filter((at) => known.stored.has(at));
  return {
    total,
    left: [...known.left, ...unread.map((from) => ({ from, until: from + lengthOf(run.kind) }))],
  };
};

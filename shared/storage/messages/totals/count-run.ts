import { allOf } from '../../client/conditions.ts';
import { between, type ShardedRange } from '../../client/pages.ts';
import type { Table } from '../../client/table.ts';
import { type CountedAs, lengthOf, readCounts, sizeOf, writeCounts } from './count-rows.ts';
import { beginnings, gaps, KINDS, type Kind, type Run, type Span } from './cover.ts';
import { type LateMessage, type Mark, type Marked, readLate, readMarks } from './late-marks.ts';
import {
  type Counts,
  conditionOf,
  type Facts,
  groupMatcher,
  groupOf,
  type ListFilter,
  matches,
} from './list-filter.ts';
import { type Groups, isRare, type Place, placeOf, type Tally, tallyOf, writeRare } from './rare-places.ts';
import { type Budget, type Entry, readEntries } from './read-entries.ts';

/** A list of messages to count: its index partitions, its filter, and where late changes of its messages are marked, if they can change. */
export interface FilteredList {
  readonly range: ShardedRange;
  readonly filter: ListFilter;
  readonly marked: Marked | undefined;
}

/** Limits on what may be read for a response, and stored. */
export interface Limits {
  readonly budget: Budget;
  /** Minimum entries of a run for its counts to be stored: fewer are read again as cheaply. */
  readonly worthStoring: number;
}
/**
 * An hour or day with more late changes than this, and than one message in so many, is counted by reading it: a message costs 32 times as
 * much as an entry.
 */
const FEW_LATE = 8;
const ENTRIES_PER_MESSAGE = 32;

/** The matches of an hour or day by the stored positions of its groups, and the messages that changed since. */
export interface StoredMatches {
  readonly kind: Kind;
  readonly groups: readonly string[];
  readonly late: readonly LateMessage[];
  /** The positions, if they were determined just now. */
  readonly known?: Groups;
}

/** A counted hour or day, or a searched span, and how a page finds its matches. */
export interface CountedPart extends Span {
  /** The numbers of all of its messages, and of matches. */
  readonly size: number;
  readonly total: number;
  /** The positions of the matches, or how to read them, if they are few. Otherwise the index finds them. */
  readonly rare?: StoredMatches | { readonly found: readonly Place[] };
}

/** The counted part of a run, and the spans that are left to be counted by reading them. */
interface Counted {
  readonly parts: readonly CountedPart[];
  readonly left: readonly Span[];
}
export interface CountedRun extends Counted {
  /** Of those, the ones that exceeded the budget: their counts may be stored later. */
  readonly beyond: readonly Span[];
}

const byStart = <T extends { readonly createdAt: number }>(run: Run, items: readonly T[]): Map<number, T[]> => {
  const length = lengthOf(run.kind);
  return Map.groupBy(items, ({ createdAt }) => run.from + Math.floor((createdAt - run.from) / length) * length);
};

/** An hour or day, or a part of one, when it was settled: its entries, with those that changed since in their earlier state. */
export const settledTally = (entries: readonly Entry[], late: readonly LateMessage[], byBatch: boolean): Tally => {
  const isLate = new Set<string>(late.map(({ id }) => id));
  const groups = new Map<string, Place[]>();
  const add = (facts: Facts | undefined, place: Place) => {
    if (!facts) return;
    const group = groupOf(facts, byBatch);
    const places = groups.get(group);
    if (places) places.push(place);
    else groups.set(group, [place]);
  };
  for (const entry of entries) if (!isLate.has(entry.id)) add(entry.facts, placeOf(entry));
  for (const message of late) add(message.settled, placeOf(message));
  return tallyOf(groups);
};

/** The known counts of a run before late changes: stored counts, and otherwise the entries that were read; both by hour or day. */
interface Known {
  readonly stored: ReadonlyMap<number, Counts>;
  readonly fresh: ReadonlyMap<number, readonly Entry[]>;
  /** The spans that exceeded the budget. */
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
      ...(await readEntries(table, list.range, gap, { periodMs: lengthOf(run.kind), least: 0 }, budget)),
    })),
  );
  const entries = read.flatMap((each) => each.entries);
  const fresh = new Map<number, readonly Entry[]>(byStart(run, entries));
  // Before the first entry of a list there may be decades without one: nothing is stored for them, and reading them costs half a unit.
  const first = Math.min(...stored.keys(), ...fresh.keys());
  for (const { gap, until } of read)
    for (const at of beginnings(run.kind, { from: Math.max(gap.from, Math.min(first, until)), until }))
      if (!fresh.has(at)) fresh.set(at, []);
  const left = read.flatMap(({ gap, until }) => (until < gap.until ? [{ from: until, until: gap.until }] : []));
  return { stored, fresh, left, isWorthStoring: entries.length >= worthStoring };
};

/** Identifies the stored counts of a list; those by batch are separate. */
export const countedAs = ({ range, filter }: FilteredList): CountedAs => ({
  list: range.partition,
  byBatch: filter.batchId !== undefined,
});

/** The range of a list's matching entries within a span. */
export const searched = ({ range, filter }: FilteredList, { from, until }: Span): ShardedRange => ({
  ...range,
  sort: between({ from, to: until - 1 }),
  filter: allOf([range.filter, conditionOf(filter)]),
});

/** Stores counts and positions of whole hours or days. Positions first, so that a reader that finds a count finds them. */
export const writeTallies = async (
  table: Table,
  of: CountedAs,
  kind: Kind,
  tallies: ReadonlyMap<number, Tally>,
): Promise<void> => {
  await writeRare(table, of, kind, tallies);
  await writeCounts(table, of, kind, new Map([...tallies].map(([from, { counts }]) => [from, counts])));
};

/** Whether so many messages of an hour or day changed late that reading all of its entries is cheaper. */
export const areMany = (late: number, size: number): boolean => late > FEW_LATE && late * ENTRIES_PER_MESSAGE > size;

/** An hour or day from its settled counts, and the messages that changed since. */
const settledPart = (
  { kind, from }: Pick<Run, 'kind' | 'from'>,
  counts: Counts,
  { filter, isMatch }: { readonly filter: ListFilter; readonly isMatch: (group: string) => boolean },
  late: readonly LateMessage[],
  known: Groups | undefined,
): CountedPart => {
  const isMatching = (facts: Facts | undefined) => (facts && matches(facts, filter) ? 1 : 0);
  const groups = Object.keys(counts).filter(isMatch);
  const settled = groups.reduce((sum, group) => sum + (counts[group] ?? 0), 0);
  const total = late.reduce((sum, { now, settled: before }) => sum + isMatching(now) - isMatching(before), settled);
  const size = sizeOf(counts);
  const rare = isRare(settled, size) ? { rare: { kind, groups, late, ...(known ? { known } : {}) } } : {};
  return { from, until: from + lengthOf(kind), size, total, ...rare };
};

/** Hours or days with too many late changes: those whose entries were read are counted from them, the others are left. */
const countExpensive = (
  { kind }: Run,
  { filter }: FilteredList,
  { fresh }: Known,
  starts: readonly number[],
): Counted => {
  const parts: CountedPart[] = [];
  const left: Span[] = [];
  for (const from of starts) {
    const span = { from, until: from + lengthOf(kind) };
    const entries = fresh.get(from);
    if (!entries) left.push(span);
    else {
      const total = entries.filter(({ facts }) => matches(facts, filter)).length;
      parts.push({ ...span, size: entries.length, total });
    }
  }
  return { parts, left };
};

/**
 * Counts a run of settled hours or days: from their stored counts, and the messages that changed since. Missing counts are computed from
 * the entries, and stored. Marks are read after the entries: a change visible in an entry was marked before.
 */
export const countRun = async (table: Table, list: FilteredList, run: Run, limits: Limits): Promise<CountedRun> => {
  const of = countedAs(list);
  const { kind } = run;
  const known = await readKnown(table, list, of, run, limits);
  const marks = byStart(run, list.marked ? await readMarks(table, list.marked, run) : []);
  const marksAt = (at: number): readonly Mark[] => marks.get(at) ?? [];
  const isExpensive = (at: number): boolean => {
    const counts = known.stored.get(at);
    return areMany(marksAt(at).length, counts ? sizeOf(counts) : (known.fresh.get(at)?.length ?? 0));
  };
  const starts = [...known.stored.keys(), ...known.fresh.keys()];
  const cheap = starts.filter((at) => !isExpensive(at));
  const late = byStart(run, await readLate(table, cheap.flatMap(marksAt), KINDS[kind].level));
  const made = new Map(
    cheap.flatMap((at) => {
      const entries = known.fresh.get(at);
      return entries ? [[at, settledTally(entries, late.get(at) ?? [], of.byBatch)] as const] : [];
    }),
  );
  if (known.isWorthStoring) await writeTallies(table, of, kind, made);
  const matching = { filter: list.filter, isMatch: groupMatcher(list.filter) };
  const parts = cheap.map((from) => {
    const tally = made.get(from);
    const counts = known.stored.get(from) ?? tally?.counts ?? {};
    return settledPart({ kind, from }, counts, matching, late.get(from) ?? [], tally?.places);
  });
  const dear = countExpensive(run, list, known, starts.filter(isExpensive));
  return { parts: [...parts, ...dear.parts], left: [...known.left, ...dear.left], beyond: known.left };
};

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
import { countsOf, type Groups, isRare, type Place, placeOf, writeRare } from './rare-places.ts';
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

/** An hour or day whose messages were counted, and how a page finds those that match. */
export interface CountedPart extends Span {
  readonly kind: Kind;
  /** All of its messages, and those that match. */
  readonly size: number;
  readonly total: number;
  /** Where the matching ones are, if they are few: in groups whose places were kept, and among messages that changed since. Else the index finds them. */
  readonly rare?: {
    readonly groups: readonly string[];
    readonly late: readonly LateMessage[];
    /** Where they are, if that was found out just now. */
    readonly known?: Groups;
  };
}

/** What was counted of a run, and the spans of it that are left to be counted by reading them. */
export interface CountedRun {
  readonly parts: readonly CountedPart[];
  readonly left: readonly Span[];
}

const byBeginning = <T extends { readonly createdAt: number }>(run: Run, items: readonly T[]): Map<number, T[]> => {
  const length = lengthOf(run.kind);
  return Map.groupBy(items, ({ createdAt }) => run.from + Math.floor((createdAt - run.from) / length) * length);
};

/** What an hour or day had when it was settled: its entries, but those that changed since as they were. */
const settledGroups = (entries: readonly Entry[], late: readonly LateMessage[], byBatch: boolean): Groups => {
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
  return groups;
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

/** How the counts of a list are kept: those by batch apart. */
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

/** Stores counts and places of whole hours or days. The places first, so that who finds a count finds them. */
const writeMade = async (table: Table, of: CountedAs, kind: Kind, made: ReadonlyMap<number, Groups>): Promise<void> => {
  await writeRare(table, of, kind, made);
  await writeCounts(table, of, kind, new Map([...made].map(([from, groups]) => [from, countsOf(groups)])));
};

/** Whether so many messages of an hour or day changed late that reading all of its entries costs less. */
const areMany = (marks: readonly Mark[], size: number): boolean =>
  marks.length > FEW_LATE && marks.length * ENTRIES_PER_MESSAGE > size;

/** An hour or day by what it counted when it was settled, and the messages that changed since. */
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
  const rare = isRare(settled, size) ? { rare: { groups, late, ...(known ? { known } : {}) } } : {};
  return { kind, from, until: from + lengthOf(kind), size, total, ...rare };
};

/** Hours or days of which too many messages changed late: those whose entries were read are counted by them, the others are left. */
const countDear = (
  { kind }: Run,
  { filter }: FilteredList,
  { fresh }: Known,
  starts: readonly number[],
): CountedRun => {
  const parts: CountedPart[] = [];
  const left: Span[] = [];
  for (const from of starts) {
    const span = { from, until: from + lengthOf(kind) };
    const entries = fresh.get(from);
    if (!entries) left.push(span);
    else {
      const total = entries.filter(({ facts }) => matches(facts, filter)).length;
      parts.push({ ...span, kind, size: entries.length, total });
    }
  }
  return { parts, left };
};

/**
 * Counts a run of settled hours or days: by their stored counts, and the messages that changed since. Counts that are missing are made from the
 * entries, and stored. Marks are read after the entries: a change that an entry shows was marked before it.
 */
export const countRun = async (table: Table, list: FilteredList, run: Run, limits: Limits): Promise<CountedRun> => {
  const of = countedAs(list);
  const { kind } = run;
  const known = await readKnown(table, list, of, run, limits);
  const marks = byBeginning(run, list.marked ? await readMarks(table, list.marked, run) : []);
  const marksAt = (at: number): readonly Mark[] => marks.get(at) ?? [];
  const isDear = (at: number): boolean => {
    const counts = known.stored.get(at);
    return areMany(marksAt(at), counts ? sizeOf(counts) : (known.fresh.get(at)?.length ?? 0));
  };
  const starts = [...known.stored.keys(), ...known.fresh.keys()];
  const cheap = starts.filter((at) => !isDear(at));
  const late = byBeginning(run, await readLate(table, cheap.flatMap(marksAt), KINDS[kind].level));
  const made = new Map(
    cheap.flatMap((at) => {
      const entries = known.fresh.get(at);
      return entries ? [[at, settledGroups(entries, late.get(at) ?? [], of.byBatch)] as const] : [];
    }),
  );
  if (known.isWorthStoring) await writeMade(table, of, kind, made);
  const matching = { filter: list.filter, isMatch: groupMatcher(list.filter) };
  const parts = cheap.map((from) => {
    const groups = made.get(from);
    const counts = known.stored.get(from) ?? (groups ? countsOf(groups) : {});
    return settledPart({ kind, from }, counts, matching, late.get(from) ?? [], groups);
  });
  const dear = countDear(run, list, known, starts.filter(isDear));
  return { parts: [...parts, ...dear.parts], left: [...known.left, ...dear.left] };
};

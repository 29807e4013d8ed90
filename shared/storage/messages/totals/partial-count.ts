import * as z from 'zod';
import type { Table } from '../../client/table.ts';
import { isStorable, lengthOf, sizeOf } from './count-rows.ts';
import { areMany, countedAs, type FilteredList, settledTally, writeTallies } from './count-run.ts';
import { KINDS, type Kind } from './cover.ts';
import { readLate, readMarks } from './late-marks.ts';
import { addTallies, type Tally } from './rare-places.ts';
import { type Budget, readEntries } from './read-entries.ts';

const KIND_NAMES = Object.keys(KINDS) as readonly Kind[];

/**
 * The counts of the first part of an hour or day that has more messages than are read at once: of those created before `at` (ms), in the
 * state when the hour or day was settled. They never change, as those of the whole hour or day.
 */
export interface PartialCount {
  readonly kind: Kind;
  /** When the hour or day begins, ms. */
  readonly from: number;
  readonly at: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly places: Readonly<Record<string, readonly string[]>>;
  /** How many of them changed late. */
  readonly late: number;
}
export const partialCount = z.object({
  kind: z.enum(KIND_NAMES),
  from: z.number(),
  at: z.number(),
  counts: z.record(z.string(), z.int()),
  places: z.record(z.string(), z.array(z.string())),
  late: z.int(),
});

export const startPartial = (kind: Kind, from: number): PartialCount => ({
  kind,
  from,
  at: from,
  counts: {},
  places: {},
  late: 0,
});

/** The end of its hour or day, ms. */
export const endOfPartial = ({ kind, from }: Pick<PartialCount, 'kind' | 'from'>): number => from + lengthOf(kind);

const tallyIn = ({ counts, places }: PartialCount): Tally => ({ counts, places: new Map(Object.entries(places)) });

/**
 * Counts the next part of an hour or day, as far as the budget allows, at least a millisecond; stores its counts once it is complete.
 * Undefined if it is not to be counted: it has too many groups, or so many of its messages changed late that counts would not be used.
 */
export const continuePartial = async (
  table: Table,
  list: FilteredList,
  partial: PartialCount,
  budget: Budget,
): Promise<PartialCount | undefined> => {
  const { kind, from, at } = partial;
  const end = endOfPartial(partial);
  const of = countedAs(list);
  const { entries, until } = await readEntries(
    table,
    list.range,
    { from: at, until: end },
    { periodMs: 1, least: 1 },
    budget,
  );
  const marks = list.marked ? await readMarks(table, list.marked, { kind, from: at, until }) : [];
  const late = partial.late + marks.length;
  if (areMany(late, sizeOf(partial.counts) + entries.length)) return undefined;
  const changed = await readLate(table, marks, KINDS[kind].level);
  const tally = addTallies(tallyIn(partial), settledTally(entries, changed, of.byBatch));
  if (!isStorable(tally.counts)) return undefined;
  if (until === end) await writeTallies(table, of, kind, new Map([[from, tally]]));
  return { ...partial, at: until, counts: tally.counts, places: Object.fromEntries(tally.places), late };
};

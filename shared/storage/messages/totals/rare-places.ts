import * as z from 'zod';
import { isoTime } from '../../../domain/core/time.ts';
import type { Row } from '../../client/row.ts';
import type { Table } from '../../client/table.ts';
import { type CountedAs, countKey, expiryOf, sizeOf } from './count-rows.ts';
import type { Kind } from './cover.ts';
import type { Counts } from './list-filter.ts';

/** The position of a message in lists: its time of creation and its id, as an index sorts them. */
export type Place = string;
export const placeOf = ({ createdAt, id }: { readonly createdAt: number; readonly id: string }): Place =>
  `${isoTime(createdAt)}#${id}`;

/** The messages of groups of an hour or day, in the state when it was settled. */
export type Groups = ReadonlyMap<string, readonly Place[]>;

/** The size of each group of an hour or day, or of its first part, and all messages of the groups that may be rare. */
export interface Tally {
  readonly counts: Counts;
  readonly places: Groups;
}

/** A group is rare if this many entries must be read to find one of it: reading and storing its positions is cheaper. */
const ENTRIES_PER_PLACE = 32;
export const isRare = (count: number, size: number): boolean => count * ENTRIES_PER_PLACE <= size;

/** Maximum stored positions of an hour or day: 50 KB. The smallest groups come first; the others are found by reading the index. */
const MAX_PLACES = 1_000;

const keyOf = (of: CountedAs, kind: Kind, from: number) => countKey(of, `${kind}Rare`, from);
const rareRow = z.object({ groups: z.record(z.string(), z.array(z.string())) });

export const tallyOf = (groups: Groups): Tally => ({
  counts: Object.fromEntries([...groups].map(([group, places]) => [group, places.length])),
  places: groups,
});

/** The groups of which all positions fit into a row together, the smallest first. */
const fitting = (counts: Counts): [string, number][] => {
  const found: [string, number][] = [];
  let room = MAX_PLACES;
  for (const group of Object.entries(counts).toSorted(([, a], [, b]) => a - b)) {
    room -= group[1];
    if (room < 0) break;
    found.push(group);
  }
  return found;
};

/** The tally of two parts, one after the other; with the messages of no more groups than can be stored. */
export const addTallies = (earlier: Tally, later: Tally): Tally => {
  const counts: Record<string, number> = { ...earlier.counts };
  for (const [group, count] of Object.entries(later.counts)) counts[group] = (counts[group] ?? 0) + count;
  const places = new Map<string, readonly Place[]>();
  for (const [group, count] of fitting(counts)) {
    const own = [...(earlier.places.get(group) ?? []), ...(later.places.get(group) ?? [])];
    if (own.length === count) places.set(group, own);
  }
  return { counts, places };
};

/** The stored positions of an hour or day; undefined if no group is rare. */
const kept = ({ counts, places }: Tally): Record<string, readonly Place[]> | undefined => {
  const size = sizeOf(counts);
  const rare: Record<string, readonly Place[]> = {};
  for (const [group, count] of fitting(counts)) {
    const own = places.get(group);
    if (!own || !isRare(count, size)) break;
    rare[group] = own;
  }
  return Object.keys(rare).length > 0 ? rare : undefined;
};

/**
 * Stores the positions of the rare groups of whole hours or days. They never change, like the counts, which are stored after them. A few
 * write units per hour or day with any.
 */
export const writeRare = async (
  table: Table,
  of: CountedAs,
  kind: Kind,
  counted: ReadonlyMap<number, Tally>,
): Promise<void> => {
  const rows = [...counted].flatMap(([from, tally]): Row[] => {
    const groups = kept(tally);
    return groups ? [{ ...keyOf(of, kind, from), groups, ...expiryOf(kind, from) }] : [];
  });
  await table.putMany(rows);
};

/** The positions of the rare groups of some hours or days; undefined if not stored. A hundred per round trip. */
export const readRare = async (
  table: Table,
  of: CountedAs,
  parts: readonly { readonly kind: Kind; readonly from: number }[],
): Promise<(Groups | undefined)[]> => {
  const rows = await table.getMany(parts.map(({ kind, from }) => keyOf(of, kind, from)));
  return rows.map((row) => row && new Map(Object.entries(rareRow.parse(row).groups)));
};

import { parseId } from '../../../domain/core/ids.ts';
import { KEYS } from '../../access-patterns.ts';
import { mergeNewest, type Source } from '../../client/merge-newest.ts';
import { keysOf, partsOf } from '../../client/pages.ts';
import type { Row } from '../../client/row.ts';
import type { Table } from '../../client/table.ts';
import { type CountedPart, countedAs, type FilteredList, type StoredMatches, searched } from './count-run.ts';
import type { Span } from './cover.ts';
import { matches } from './list-filter.ts';
import { type Groups, type Place, placeOf, readRare } from './rare-places.ts';

/** A part with few matches, whose positions are known or stored, so that they are read without the index. */
type RarePart = CountedPart & { readonly rare: NonNullable<CountedPart['rare']> };
/** How a stretch of a list is searched: by reading the index, or by the positions in its parts, newest first. */
type Stretch = { readonly span: Span } | { readonly parts: readonly RarePart[] };

const isRarePart = (part: CountedPart): part is RarePart => part.rare !== undefined;

/** The result of counting a list. */
export interface Counted {
  readonly parts: readonly CountedPart[];
  /** The spans that must be read. */
  readonly spans: readonly Span[];
  /**
   * Spans with at most this many entries between them, about as many as one call reads, are read together: a list never takes more calls
   * than reading it completely.
   */
  readonly near: number;
}
/** Positions read together (BatchGetItem). */
const CONCURRENT_PARTS = 100;

/** The stretches of a list with matching messages, newest first. */
const stretchesOf = ({ parts, spans, near }: Counted): Stretch[] => {
  const found: Stretch[] = [];
  let open: Span | undefined;
  let passed: CountedPart[] = [];
  const close = () => {
    if (open) found.push({ span: open });
    const rare = passed.filter(({ total }) => total > 0).filter(isRarePart);
    if (rare.length > 0) found.push({ parts: rare });
    passed = [];
  };
  const isPassed = (part: CountedPart | Span): part is CountedPart =>
    'total' in part && (part.total === 0 || part.rare !== undefined);
  for (const next of [...parts, ...spans].toSorted((a, b) => b.from - a.from)) {
    if (isPassed(next)) {
      passed.push(next);
      continue;
    }
    const entries = passed.reduce((sum, { size }) => sum + size, 0);
    const isNear = open !== undefined && entries <= near;
    if (!isNear) close();
    passed = [];
    open = { from: next.from, until: isNear && open ? open.until : next.until };
  }
  close();
  return found;
};

/** The matching messages of a part, newest first; undefined if the positions of one of its groups are not stored. */
const placesOf = ({ rare }: RarePart, list: FilteredList, kept: Groups | undefined): readonly Place[] | undefined => {
  if ('found' in rare) return rare.found;
  const { groups, late, known = kept } = rare;
  const settled = groups.map((group) => known?.get(group));
  if (settled.includes(undefined)) return undefined;
  const changed = new Set(late.map(placeOf));
  const present = late.filter(({ now }) => now && matches(now, list.filter)).map(placeOf);
  const unchanged = settled.flatMap((places = []) => places.filter((place) => !changed.has(place)));
  return [...unchanged, ...present].sort().reverse();
};

/** Whether the positions of a part are to be read. */
const isUnread = (part: RarePart): part is RarePart & { readonly rare: StoredMatches } =>
  'groups' in part.rare && !part.rare.known && part.rare.groups.length > 0;

/**
 * The keys of a list's matching messages, newest first, for a page that ends after `wanted` of them. Of the counted part, only hours and
 * days with matches are read: by the positions of rare ones, one read per such hour or day, or by the index.
 */
export const filteredKeys = (table: Table, list: FilteredList, counted: Counted, wanted: number): Source<Row> => {
  const order = `${list.range.index}sk`;
  const readIndex = (span: Span): Promise<Row[]> => {
    const sources = partsOf(searched(list, span)).map((part) => keysOf(table, part, wanted));
    return mergeNewest(sources, (row) => String(row[order]), 0, wanted);
  };
  const keyAt = (place: Place): Row => ({
    ...KEYS.message(parseId('message', place.slice(place.indexOf('#') + 1))),
    [order]: place,
  });
  const readPlaces = async (some: readonly RarePart[]): Promise<Row[]> => {
    const unread = some.filter(isUnread);
    const read = await readRare(
      table,
      countedAs(list),
      unread.map(({ from, rare: { kind } }) => ({ kind, from })),
    );
    const keptOf = new Map<RarePart, Groups | undefined>(unread.map((part, at) => [part, read[at]]));
    const found = await Promise.all(
      some.map(async (part) => {
        const places = placesOf(part, list, keptOf.get(part));
        return places ? places.map(keyAt) : readIndex(part);
      }),
    );
    return found.flat();
  };
  /** The parts that contain what a page needs. */
  const taken = (from: readonly RarePart[]): number => {
    let [count, total] = [0, 0];
    while (count < Math.min(from.length, CONCURRENT_PARTS) && total < wanted) total += from[count++]?.total ?? 0;
    return count;
  };
  const left = stretchesOf(counted);
  return async () => {
    const next = left.shift();
    if (!next) return undefined;
    if ('span' in next) return readIndex(next.span);
    const count = taken(next.parts);
    if (count < next.parts.length) left.unshift({ parts: next.parts.slice(count) });
    return readPlaces(next.parts.slice(0, count));
  };
};

import { Unavailable } from '../../../domain/core/errors.ts';
import { partsOf } from '../../client/pages.ts';
import type { QueryPage, QueryRange, Table } from '../../client/table.ts';
import { type CountedPart, type FilteredList, searched } from './count-run.ts';
import type { Span } from './cover.ts';
import type { Place } from './rare-places.ts';

/** The most matches of a list whose positions are kept while it is searched; of more, a page finds its own sooner in the index. */
const MAX_PLACES = 1_000;
/** Entries of a first read: enough to see whether matches are many. */
const FIRST_READ = 1_000;
/** The time of an answer that must remain for another read, ms: the page itself is still to be read, too. */
const PAGE_MS = 5_000;
/** When a list will be counted that an answer could not search in its time, s. */
const RETRY_AFTER_SECONDS = 15;

/** The remaining time of the answer, ms. */
export type RemainingMs = () => number;

/** A search: the positions of its matches so far, until they are too many. */
interface Search {
  readonly table: Table;
  readonly remainingMs: RemainingMs;
  kept: number;
}

interface Matches {
  readonly total: number;
  /** Not all of them, once `kept` exceeds its maximum. */
  readonly places: readonly Place[];
}

const areKept = ({ kept }: Search): boolean => kept <= MAX_PLACES;

/** Searches one partition of a span, by the positions of its matches or, once they are too many, by counting them. */
const searchPart = async (search: Search, range: QueryRange): Promise<Matches> => {
  const { table, remainingMs } = search;
  const order = `${range.index}sk`;
  const places: Place[] = [];
  let total = 0;
  let startKey: QueryPage['nextKey'];
  do {
    if (startKey && remainingMs() < PAGE_MS)
      throw new Unavailable('The list is too long to be searched; it is being counted.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    const read = { ...range, startKey };
    if (areKept(search)) {
      const { rows, nextKey } = await table.query({
        ...read,
        only: [order],
        ...(startKey ? {} : { limit: FIRST_READ }),
      });
      places.push(...rows.map((row) => String(row[order])));
      search.kept += rows.length;
      total += rows.length;
      startKey = nextKey;
    } else {
      const { count, nextKey } = await table.countPage(read);
      total += count;
      startKey = nextKey;
    }
  } while (startKey);
  return { total, places };
};

/** The number of matches in some spans; those with few of them as parts whose positions are known, the others to be read in the index. */
interface SearchedSpans {
  readonly total: number;
  readonly parts: readonly CountedPart[];
  readonly spans: readonly Span[];
}

/**
 * Searches spans of a list that no counts cover, by reading each of their entries once, in the index. Throws `Unavailable` when the answer's
 * time ends before.
 */
export const searchSpans = async (
  table: Table,
  list: FilteredList,
  spans: readonly Span[],
  remainingMs: RemainingMs,
): Promise<SearchedSpans> => {
  const search: Search = { table, remainingMs, kept: 0 };
  const found = await Promise.all(
    spans.map(async (span) => {
      const parts = await Promise.all(partsOf(searched(list, span)).map((part) => searchPart(search, part)));
      return {
        span,
        total: parts.reduce((sum, part) => sum + part.total, 0),
        places: parts.flatMap((part) => part.places),
      };
    }),
  );
  const total = found.reduce((sum, each) => sum + each.total, 0);
  if (!areKept(search)) return { total, parts: [], spans };
  const parts = found.map(({ span, places }) => {
    const newestFirst = places.toSorted().reverse();
    return { ...span, size: places.length, total: places.length, rare: { found: newestFirst } };
  });
  return { total, parts, spans: [] };
};

import * as z from 'zod';
import { type CursorItems, encodeCursor, type GivenCursor, openCursor } from '../../domain/core/cursor.ts';
import { isRefusal, type Refusal } from '../../domain/core/errors.ts';
import { INDEXES, TABLE } from '../table-indexes.ts';
import { fullRows, partsOf, type ShardedRange } from './pages.ts';
import type { Row } from './row.ts';
import type { Table } from './table.ts';

/** The requested page of a list, and the scope in which its cursors are valid. */
export interface CursorRequest extends GivenCursor {
  readonly limit: number;
}
/** A page's keys; without `nextCursor` the list ended. */
export interface CursorPage {
  readonly keys: readonly Row[];
  readonly nextCursor?: string;
}
/** A range of one of the narrow list indexes, or of the table itself: then a page holds whole rows. */
export type ListRange = ShardedRange & { readonly index?: Exclude<keyof typeof INDEXES, 'due'> };

/** Maximum rows that one page of a filtered list reads, which bounds its cost however rare matches are. */
const MAX_READ = 1_000;

/** Where a page ended: the last row's key and index sort key. Ids and a time, no personal data. */
const position = z.strictObject({ pk: z.string(), sk: z.string(), at: z.string() });
type Position = z.output<typeof position>;

/** Matches, and where reading ended; without an end the list is complete. */
interface Matches {
  readonly rows: readonly Row[];
  readonly end: Position | undefined;
}

const placesIn = (range: ListRange) => {
  const { sortKey } = range.index === undefined ? TABLE : INDEXES[range.index];
  return (row: Readonly<Record<string, unknown>>): Position =>
    position.parse({ pk: row.pk, sk: row.sk, at: row[sortKey] });
};

/** Matches from `from` on, until there is one more than `limit`, or the maximum is read, or the list ends. */
const matches = async (
  table: Table,
  range: ListRange,
  from: Position | undefined,
  limit: number,
  maxRead: number,
): Promise<Matches> => {
  const { partitionKey, sortKey } = range.index === undefined ? TABLE : INDEXES[range.index];
  const placeOf = placesIn(range);
  const rows: Row[] = [];
  let end = from;
  for (let read = 0; ; ) {
    // Most pages are full after the first query; when matches are rare, the second reads up to the page's maximum.
    const size = read === 0 ? limit + 1 : maxRead - read;
    const page = await table.query({
      ...range,
      newestFirst: true,
      ...(range.index === undefined ? {} : { only: ['pk', 'sk', sortKey] }),
      limit: size,
      startKey: end && { pk: end.pk, sk: end.sk, [partitionKey]: range.partition, [sortKey]: end.at },
    });
    rows.push(...page.rows);
    read += size;
    end = page.nextKey && placeOf(page.nextKey);
    const last = rows[limit - 1];
    if (last && rows.length > limit) return { rows: rows.slice(0, limit), end: placeOf(last) };
    if (!end || read >= maxRead) return { rows, end };
  }
};

/**
 * Matches of a range that is spread over partitions. Those beyond the position up to which all partitions were read belong to a later page.
 */
const mergedMatches = async (
  table: Table,
  range: ListRange,
  from: Position | undefined,
  limit: number,
): Promise<Matches> => {
  const parts = partsOf(range) as ListRange[];
  const share = Math.max(limit + 1, Math.floor(MAX_READ / parts.length));
  const found = await Promise.all(parts.map((part) => matches(table, part, from, limit, share)));
  const [first] = found;
  if (found.length === 1 && first) return first;
  const placeOf = placesIn(range);
  const newestFirst = (a: Position, b: Position) => (a.at < b.at ? 1 : -1);
  const [readUpTo] = found.flatMap(({ end }) => end ?? []).sort(newestFirst);
  const rows = found
    .flatMap((one) => one.rows.map((row) => ({ row, place: placeOf(row) })))
    .filter(({ place }) => !readUpTo || place.at >= readUpTo.at)
    .sort((a, b) => newestFirst(a.place, b.place));
  const page = rows.slice(0, limit);
  const end = rows.length > limit ? page.at(-1)?.place : readUpTo;
  return { rows: page.map(({ row }) => row), end };
};

/** The cursor of the page after a row, for a page that ends before the one that was read. */
export const cursorAfter = (range: ListRange, { vault, scope }: CursorRequest, row: Row): string =>
  encodeCursor(vault, scope, placesIn(range)(row));

/**
 * A page of a narrow index, newest first. Reads `limit` + 1 index rows without a filter, and never more than 1,000: a filtered page may
 * have fewer items and still a next page, so that a page's cost does not grow with the list. 400 as for `openCursor`.
 */
export const cursorPage = async (
  table: Table,
  range: ListRange,
  request: CursorRequest,
): Promise<CursorPage | Refusal<'BAD_REQUEST'>> => {
  const from = openCursor(position, request);
  if (isRefusal(from)) return from;
  const { rows, end } = await mergedMatches(table, range, from, request.limit);
  return { keys: rows, ...(end ? { nextCursor: encodeCursor(request.vault, request.scope, end) } : {}) };
};

/** The same page with its items, built from its full rows. */
export const cursorItems = async <T>(
  table: Table,
  range: ListRange,
  request: CursorRequest,
  itemsOf: (rows: readonly Row[]) => readonly T[] | Promise<readonly T[]>,
): Promise<CursorItems<T> | Refusal<'BAD_REQUEST'>> => {
  const page = await cursorPage(table, range, request);
  if (isRefusal(page)) return page;
  const { keys, ...next } = page;
  return { items: await itemsOf(range.index === undefined ? keys : await fullRows(table, keys)), ...next };
};

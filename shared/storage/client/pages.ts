import { isoTime } from '../../domain/core/time.ts';
import type { Page, PageRequest } from '../../domain/message/lists.ts';
import type { Condition } from './expressions.ts';
import { mergeNewest, type Source } from './merge-newest.ts';
import type { Row } from './row.ts';
import type { QueryRange, Table } from './table.ts';

export interface Window {
  /** ms, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}
/** The range of moments with four-digit years: beyond it ISO text does not sort chronologically. */
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');
const clampedTime = (ms: number): string => isoTime(Math.min(Math.max(ms, 0), LATEST_MS));

/** Bounds of `createdAt#id` for a window of time; nothing is older than the epoch. `~` sorts after every id. */
const bounds = ({ from, to }: Window) => ({
  lower: clampedTime(from ?? 0),
  upper: to === undefined ? '~' : `${clampedTime(to)}#~`,
});

/** The condition on `createdAt#id` for a window; none when it is open on both sides. */
export const between = (window: Window): Condition | undefined =>
  window.from === undefined && window.to === undefined
    ? undefined
    : { text: '#sk BETWEEN :lower AND :upper', values: bounds(window) };

/** A window that ends before it starts matches nothing, and is not a valid range of a query. */
export const isEmpty = (window: Window): boolean => {
  const { lower, upper } = bounds(window);
  return lower > upper || (window.to !== undefined && window.to < 0);
};

/** A range whose entries are spread over several partitions: `others` besides its own. */
export interface ShardedRange extends QueryRange {
  readonly others?: readonly string[] | undefined;
}

/** The ranges of a sharded one, one per partition. */
export const partsOf = ({ others = [], ...range }: ShardedRange): QueryRange[] =>
  [range.partition, ...others].map((partition) => ({ ...range, partition }));

/** How many rows of a range match, as `Table.count`, over all of its partitions. */
export const countAll = async (table: Table, range: ShardedRange): Promise<number> => {
  const counts = await Promise.all(partsOf(range).map((part) => table.count(part)));
  return counts.reduce((sum, count) => sum + count, 0);
};

/** Rows per read of an unfiltered index; a filtered one reads as many and keeps the matches. */
const MAX_PER_READ = 1_000;
/** Keys read from a partition beyond its even share of a page: partitions are rarely even. */
const BEYOND_SHARE = 4;

/** The keys of a range, newest first unless specified otherwise, in pages; a page of an unfiltered range is never larger than needed. */
export const keysOf = (table: Table, range: QueryRange, max: number): Source<Row> => {
  let startKey: QueryRange['startKey'];
  let ended = false;
  const limit = range.filter ? MAX_PER_READ : Math.min(MAX_PER_READ, max);
  return async () => {
    if (ended) return undefined;
    const page = await table.query({
      newestFirst: true,
      ...range,
      only: ['pk', 'sk', `${range.index}sk`],
      limit,
      startKey,
    });
    startKey = page.nextKey;
    ended = startKey === undefined;
    return page.rows;
  };
};

/** The keys of a page in the order of the range. Skipping reads narrow index rows only: `skip` + `limit`, or of a filter a thousand a call. */
export const pageKeys = async (table: Table, range: QueryRange, { skip, limit }: PageRequest): Promise<Row[]> => {
  const wanted = skip + limit;
  const rows: Row[] = [];
  let startKey: QueryRange['startKey'];
  do {
    const page = await table.query({
      ...range,
      only: ['pk', 'sk'],
      // A limit counts rows before the filter.
      limit: range.filter ? MAX_PER_READ : Math.min(MAX_PER_READ, wanted - rows.length),
      startKey,
    });
    rows.push(...page.rows);
    startKey = page.nextKey;
  } while (startKey && rows.length < wanted);
  return rows.slice(skip, wanted);
};

/** The full rows of a page's keys, in their order. */
export const fullRows = async (table: Table, keys: readonly Row[]): Promise<Row[]> =>
  (await table.getMany(keys)).filter((row) => row !== undefined);

/** The full rows of a page of a narrow index, newest first unless it says otherwise; skipped rows are not read in full. Merged, where it is spread over partitions. */
export const newestPage = async (table: Table, range: ShardedRange, page: PageRequest): Promise<Row[]> => {
  const parts = partsOf(range);
  const wanted = page.skip + page.limit;
  const keys =
    parts.length === 1
      ? await pageKeys(table, { newestFirst: true, ...range }, page)
      : await mergeNewest(
          parts.map((part) => keysOf(table, part, Math.ceil(wanted / parts.length) + BEYOND_SHARE)),
          (row) => String(row[`${range.index}sk`]),
          page.skip,
          page.limit,
          range.newestFirst,
        );
  return fullRows(table, keys);
};

/** The same, with the exact total of the range, which is counted on narrow index rows. */
export const newestPageOf = async <T>(
  table: Table,
  range: ShardedRange,
  page: PageRequest,
  read: (row: Row) => T,
): Promise<Page<T>> => {
  const [rows, total] = await Promise.all([newestPage(table, range, page), countAll(table, range)]);
  return { items: rows.map(read), total };
};

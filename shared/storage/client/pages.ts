import { isoTime } from '../../domain/core/time.ts';
import type { Page, PageRequest } from '../../domain/message/lists.ts';
import type { Condition } from './expressions.ts';
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

/** A window that ends before it begins selects nothing, and is not a valid range of a query. */
export const isEmpty = (window: Window): boolean => {
  const { lower, upper } = bounds(window);
  return lower > upper || (window.to !== undefined && window.to < 0);
};

/** The keys of a page in the order of the range. Skipping reads narrow index rows only, at most `skip` + `limit` matches. */
export const pageKeys = async (table: Table, range: QueryRange, { skip, limit }: PageRequest): Promise<Row[]> => {
  const wanted = skip + limit;
  const rows: Row[] = [];
  let startKey: QueryRange['startKey'];
  do {
    const page = await table.query({
      ...range,
      only: ['pk', 'sk'],
      limit: Math.min(1_000, wanted - rows.length),
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

/** The full rows of a page of a narrow index, newest first; skipped rows are not read in full. */
export const newestPage = async (table: Table, range: QueryRange, page: PageRequest): Promise<Row[]> =>
  fullRows(table, await pageKeys(table, { ...range, newestFirst: true }, page));

/** The same, with the exact total of the range, which is counted on narrow index rows. */
export const newestPageOf = async <T>(
  table: Table,
  range: QueryRange,
  page: PageRequest,
  read: (row: Row) => T,
): Promise<Page<T>> => {
  const [rows, total] = await Promise.all([newestPage(table, range, page), table.count(range)]);
  return { items: rows.map(read), total };
};

import * as z from 'zod';
import { type CursorScope, decodeCursor, encodeCursor } from '../domain/cursor.ts';
import { type Refusal, refuse } from '../domain/errors.ts';
import type { Vault } from '../domain/secrets.ts';
import { isoTime } from '../domain/time.ts';
import { INDEXES } from './access-patterns.ts';
import type { Condition } from './expressions.ts';
import type { QueryRange, Row, Table } from './table.ts';

export interface Window {
  /** ms, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}
/** The moments that ISO text of four-digit years can hold: beyond them text no longer sorts as time does. */
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');
const inYears = (ms: number): string => isoTime(Math.min(Math.max(ms, 0), LATEST_MS));

/** Bounds of `createdAt#id` for a window of time; nothing is older than the epoch. `~` sorts after every id. */
const bounds = ({ from, to }: Window) => ({
  lower: inYears(from ?? 0),
  upper: to === undefined ? '~' : `${inYears(to)}#~`,
});

/** The condition on `createdAt#id` that a window asks for; none when it is open on both sides. */
export const between = (window: Window): Condition | undefined =>
  window.from === undefined && window.to === undefined
    ? undefined
    : { text: '#sk BETWEEN :lower AND :upper', values: bounds(window) };

/** A window that ends before it begins holds nothing, and is no range that a table could be asked for. */
export const isEmpty = (window: Window): boolean => {
  const { lower, upper } = bounds(window);
  return lower > upper || (window.to !== undefined && window.to < 0);
};

/** The keys of a page: skipping reads narrow index rows only, and never more than `skip` + `limit` matches. */
export const pageKeys = async (table: Table, range: QueryRange, skip: number, limit: number): Promise<Row[]> => {
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

/** The full rows behind a page's keys, in their order. */
export const fullRows = async (table: Table, keys: readonly Row[]): Promise<Row[]> =>
  (await table.getMany(keys)).filter((row) => row !== undefined);

/** Which page of a list a caller asks for, and by whom its cursors are good. */
export interface CursorRequest {
  readonly vault: Vault;
  /** The same for every page of a list; without the page's size, which may change from one to the next. */
  readonly scope: CursorScope;
  /** What the previous page answered; undefined for the first. */
  readonly cursor: string | undefined;
  readonly limit: number;
}
/** A page's keys, and where it goes on; without `nextCursor` the list ended. */
export interface CursorPage {
  readonly keys: readonly Row[];
  readonly nextCursor?: string;
}
/** A range of one of the narrow list indexes. */
export type ListRange = QueryRange & { readonly index: Exclude<keyof typeof INDEXES, 'due'> };

/** Index rows that one page of a filtered list reads at most: what it costs at most, however rare its matches are. */
const MOST_READ = 1_000;

/** Where a page ended: the last row's key, and its place in the index. Ids and a moment, no personal data. */
const position = z.strictObject({ pk: z.string(), sk: z.string(), at: z.string() });
type Position = z.output<typeof position>;

/** `from` and where the reading ended: one more match than wanted, or all that may be read, or the end of the list. */
const matches = async (table: Table, range: ListRange, from: Position | undefined, limit: number) => {
  const { partitionKey, sortKey } = INDEXES[range.index];
  const placeOf = (row: Readonly<Record<string, unknown>>): Position =>
    position.parse({ pk: row.pk, sk: row.sk, at: row[sortKey] });
  const rows: Row[] = [];
  let end = from;
  for (let read = 0; ; ) {
    // Most pages are full after the first query; where matches are rare, the second reads all that the page may.
    const size = read === 0 ? limit + 1 : MOST_READ - read;
    const page = await table.query({
      ...range,
      newestFirst: true,
      only: ['pk', 'sk', sortKey],
      limit: size,
      startKey: end && { pk: end.pk, sk: end.sk, [partitionKey]: range.partition, [sortKey]: end.at },
    });
    rows.push(...page.rows);
    read += size;
    end = page.nextKey && placeOf(page.nextKey);
    const last = rows[limit - 1];
    if (last && rows.length > limit) return { rows: rows.slice(0, limit), end: placeOf(last) };
    if (!end || read >= MOST_READ) return { rows, end };
  }
};

/**
 * A page of a narrow index, newest first. Reads `limit` + 1 index rows where nothing is filtered, and never more than 1,000: a
 * filtered page may come back short and still name a next one, so that no page costs more in a large list than in a small one.
 * 400 for a cursor that is not ours, was changed, or is of another organization, environment or query (fault 39).
 */
export const cursorPage = async (
  table: Table,
  range: ListRange,
  { vault, scope, cursor, limit }: CursorRequest,
): Promise<CursorPage | Refusal<'BAD_REQUEST'>> => {
  let from: Position | undefined;
  if (cursor !== undefined) {
    const parsed = position.safeParse(decodeCursor(vault, scope, cursor));
    if (!parsed.success)
      return refuse('BAD_REQUEST', {
        detail: 'The cursor is not valid.',
        errors: [{ path: 'cursor', message: 'is no cursor of this list' }],
      });
    from = parsed.data;
  }
  const { rows, end } = await matches(table, range, from, limit);
  return { keys: rows, ...(end ? { nextCursor: encodeCursor(vault, scope, end) } : {}) };
};

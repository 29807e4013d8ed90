import * as z from 'zod';
import { type CursorScope, decodeCursor, encodeCursor } from '../../domain/core/cursor.ts';
import { type Refusal, refuse } from '../../domain/core/errors.ts';
import type { Vault } from '../../domain/core/secrets.ts';
import { INDEXES } from '../access-patterns.ts';
import type { Row } from './row.ts';
import type { QueryRange, Table } from './table.ts';

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
const MAX_READ = 1_000;

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
    const size = read === 0 ? limit + 1 : MAX_READ - read;
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
    if (!end || read >= MAX_READ) return { rows, end };
  }
};

/**
 * A page of a narrow index, newest first. Reads `limit` + 1 index rows where nothing is filtered, and never more than 1,000: a
 * filtered page may come back short and still name a next one, so that no page costs more in a large list than in a small one.
 * 400 for a cursor that is not ours, was changed, or is of another organization, environment or query (docs/spec/reliability.md#tampered-cursors).
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

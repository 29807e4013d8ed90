import * as z from 'zod';
import { encodeCursor, openCursor } from '../../domain/core/cursor.ts';
import { isRefusal } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { HistoryEntry } from '../../domain/journeys/run.ts';
import type { RunsPorts } from '../../domain/journeys/runs.ts';
import { KEYS } from '../access-patterns.ts';
import type { QueryPage, Table } from '../client/table.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { RECENT_ENTRIES, readHistory } from './run-rows.ts';

/** The first entry of a page: its row, by the history index of the row's first entry, and the number of the row's entries before it. */
const position = z.strictObject({ part: z.int().min(0), skip: z.int().min(0) });
type Position = z.output<typeof position>;

/** Entries of one row, the first of them at index `part` of the history. */
interface Part {
  readonly part: number;
  readonly entries: readonly HistoryEntry[];
}

/** The rows of older entries from a part on, until they contain the requested number of entries; those from `end` on are omitted. */
const olderParts = async (table: Table, id: Id<'run'>, from: number, end: number, wanted: number): Promise<Part[]> => {
  const { pk: partition, sk: first } = KEYS.runHistory(id, from);
  const sort = { text: '#sk BETWEEN :first AND :last', values: { first, last: KEYS.runHistory(id, end - 1).sk } };
  const parts: Part[] = [];
  let startKey: QueryPage['nextKey'];
  let left = wanted;
  do {
    const limit = Math.ceil(left / RECENT_ENTRIES);
    const page = await table.query({ partition, sort, consistent: true, limit, startKey });
    for (const row of page.rows) {
      const entries = readHistory(row);
      parts.push({ part: PARSE_KEY.runHistory(row).part, entries });
      left -= entries.length;
    }
    startKey = page.nextKey;
  } while (startKey && left > 0);
  return parts;
};

/**
 * A page of a run's history, oldest first: its cost does not grow with the history. The latest entries are in the run's own row, which was
 * already read.
 */
export const historyPage =
  (table: Table): RunsPorts['historyPage'] =>
  async ({ run, history }, request) => {
    const from = openCursor(position, request);
    if (isRefusal(from)) return from;
    const { part, skip }: Position = from ?? { part: 0, skip: 0 };
    const recent = run.historyCount - history.length;
    const older = part < recent ? await olderParts(table, run.id, part, recent, skip + request.limit + 1) : [];
    const places = [...older, { part: recent, entries: history }].flatMap((one) =>
      one.entries.map((entry, at) => ({ entry, part: one.part, skip: at })),
    );
    const page = places.slice(skip, skip + request.limit);
    const next = places[skip + request.limit];
    const end: Position | undefined = next && { part: next.part, skip: next.skip };
    return {
      items: page.map(({ entry }) => entry),
      ...(end ? { nextCursor: encodeCursor(request.vault, request.scope, { ...end }) } : {}),
    };
  };

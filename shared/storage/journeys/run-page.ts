import type { CursorItems } from '../../domain/core/cursor.ts';
import { isRefusal, type Refusal } from '../../domain/core/errors.ts';
import { RUN_STATUSES } from '../../domain/journeys/run.ts';
import type { StoredRun } from '../../domain/journeys/run-ports.ts';
import type { RunsPorts } from '../../domain/journeys/runs.ts';
import { cursorAfter, cursorPage, type ListRange } from '../client/cursor-pages.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { RUN_SHARDS } from '../table-indexes.ts';
import { readRun } from './run-rows.ts';

type Page = RunsPorts['page'];
const SHARDS = Array.from({ length: RUN_SHARDS }, (_, shard) => shard);

/** The index partitions of a version's runs: by contact, whatever their status, or by status. */
const rangeOf = (...[{ id }, { status, contactId }]: Parameters<Page>): ListRange => {
  if (contactId !== undefined) {
    const { gsi2pk: partition } = INDEX_KEYS.runsOfContact(contactId, '', '');
    const sort = { text: 'begins_with(#sk, :prefix)', values: { prefix: `${id}#` } };
    return { index: 'gsi2', partition, sort };
  }
  const [partition = '', ...others] = (status === undefined ? RUN_STATUSES : [status]).flatMap((each) =>
    SHARDS.map((shard) => INDEX_KEYS.runsOf(id, each, '', '', shard).gsi1pk),
  );
  return { index: 'gsi1', partition, others };
};

/** Runs that are read in one round trip. */
const PER_READ = 100;
/** The maximum size of a page, in bytes: a response is limited to 6 MB. */
const MAX_PAGE_BYTES = 5_000_000;
/** The size of a run's fields in a response besides the interpreter's state, in bytes. */
const FIELD_BYTES = 2_000;
const bytesOf = ({ walk }: Row): number => Buffer.byteLength(String(walk)) + FIELD_BYTES;

/**
 * A page of the runs of a version, newest first. A query of an index for each shard of each requested status, or one for a contact; then
 * one read per 100 runs: independent of the number of runs. A page of large runs ends early.
 */
export const runPage =
  (table: Table): Page =>
  async (...given): Promise<CursorItems<StoredRun> | Refusal<'BAD_REQUEST'>> => {
    const [range, { status }, request] = [rangeOf(...given), given[1], given[2]];
    const page = await cursorPage(table, range, request);
    if (isRefusal(page)) return page;
    const { keys, ...next } = page;
    const items: StoredRun[] = [];
    let bytes = 0;
    for (let at = 0; at < keys.length; at += PER_READ) {
      const rows = await table.getMany(keys.slice(at, at + PER_READ));
      for (const [place, row] of rows.entries()) {
        bytes += row ? bytesOf(row) : 0;
        const last = keys[at + place - 1];
        if (last && bytes > MAX_PAGE_BYTES) return { items, nextCursor: cursorAfter(range, request, last) };
        const stored = row && readRun(row);
        if (stored && (status === undefined || stored.run.status === status)) items.push(stored);
      }
    }
    return { items, ...next };
  };

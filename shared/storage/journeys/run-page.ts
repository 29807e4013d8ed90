import type { CursorItems } from '../../domain/core/cursor.ts';
import type { Refusal } from '../../domain/core/errors.ts';
import { RUN_STATUSES } from '../../domain/journeys/run.ts';
import type { StoredRun } from '../../domain/journeys/run-ports.ts';
import type { RunsPorts } from '../../domain/journeys/runs.ts';
import { equal } from '../client/conditions.ts';
import { cursorItems, type ListRange } from '../client/cursor-pages.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { RUN_SHARDS } from '../table-indexes.ts';
import { readRun } from './run-rows.ts';

type Page = RunsPorts['page'];
const SHARDS = Array.from({ length: RUN_SHARDS }, (_, shard) => shard);

/** Where the runs of a version are listed: by their contact, or by their statuses. */
const rangeOf = (...[{ id }, { status, contactId }]: Parameters<Page>): ListRange => {
  if (contactId !== undefined) {
    const { gsi2pk: partition } = INDEX_KEYS.runsOfContact(contactId, '', '');
    const sort = { text: 'begins_with(#sk, :prefix)', values: { prefix: `${id}#` } };
    return { index: 'gsi2', partition, sort, filter: equal({ status }) };
  }
  const [partition = '', ...others] = (status === undefined ? RUN_STATUSES : [status]).flatMap((each) =>
    SHARDS.map((shard) => INDEX_KEYS.runsOf(id, each, '', '', shard).gsi1pk),
  );
  return { index: 'gsi1', partition, others };
};

/**
 * A page of the runs of a version, newest first. A query of an index for each shard of each status that is asked for, of a contact one; then a read of each 100 runs:
 * the same however many runs there are.
 */
export const runPage =
  (table: Table): Page =>
  (...request): Promise<CursorItems<StoredRun> | Refusal<'BAD_REQUEST'>> =>
    cursorItems(table, rangeOf(...request), request[2], (rows) => rows.map(readRun));

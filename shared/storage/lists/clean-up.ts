import type { Clock } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import type { Key } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { readRow } from '../read-row.ts';
import { deleteChunks } from './chunks.ts';
import { editRows, type ListEdit } from './edit-rows.ts';
import type { StoredList } from './list-rows.ts';
import { readList } from './stored-lists.ts';
import { dropUnlisted, within } from './unlisted-contacts.ts';

/** How long the removal of contacts from a contended list is retried, in ms. */
const PATIENCE_MS = 10_000;

/**
 * The list of an edit, fenced so that the edit can no longer commit: an edit in progress is indistinguishable from an interrupted one, and
 * its chunks are about to be deleted.
 */
const fencedList = async (table: Table, edit: ListEdit): Promise<StoredList | undefined> => {
  const list = await readList(table, edit.organizationId, edit.listId);
  if (list?.version !== edit.over) return list;
  const { over } = edit;
  await table.write({
    update: KEYS.list(edit.organizationId, edit.listId),
    set: { version: over + 1 },
    when: { text: '#version = :over', values: { over } },
  });
  return fencedList(table, edit);
};

/**
 * Cleans up after an edit: deletes the chunks that it replaced, and those that it wrote and no list refers to, because it was interrupted
 * or lost a conflict. Removes contacts from its list that were deleted while it ran. Repeats are harmless.
 */
export const cleanUpEdit = async (table: Table, clock: Clock, key: Key): Promise<void> => {
  const edit = await readRow(table, key, editRows.read);
  if (!edit) return;
  const list = await fencedList(table, edit);
  const left = edit.chunks.filter(({ chunk, version }) => list?.chunks[chunk] !== version);
  await deleteChunks(table, edit.listId, left);
  if (list && edit.since !== undefined)
    await dropUnlisted({ table, clock, mayRetry: within(PATIENCE_MS) }, list, edit.since);
  await table.write({ delete: key });
};

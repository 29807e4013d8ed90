import type { NumberSet } from '../../domain/audience/number-set.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { readRow } from '../read-row.ts';
import { readChunks } from './chunks.ts';
import { listRows, type StoredList, versionsOf } from './list-rows.ts';

/** A stored list of an organization; undefined if there is none. One consistent read. */
export const readList = (
  table: Table,
  organizationId: Id<'organization'>,
  listId: Id<'list'>,
): Promise<StoredList | undefined> => readRow(table, KEYS.list(organizationId, listId), listRows.read);

/** All stored lists of an organization, unordered. One query, a page per megabyte of their rows; consistent. */
export const storedLists = async (table: Table, organizationId: Id<'organization'>): Promise<StoredList[]> => {
  const { pk: partition } = KEYS.list(organizationId, '');
  return (await table.queryAll({ partition, consistent: true })).map(listRows.read);
};

/**
 * The members of a list, limited to the chunks in `only` if given, and the matching list: it is read again if one of its chunks is already
 * gone. Undefined if the list is gone.
 */
export const membersAt = async (
  table: Table,
  list: StoredList,
  only?: readonly number[],
): Promise<{ readonly list: StoredList; readonly members: NumberSet } | undefined> => {
  const members = await readChunks(table, list.id, versionsOf(list, only));
  if (members) return { list, members };
  const current = await readList(table, list.organizationId, list.id);
  if (current?.version === list.version) throw new Error('a list names a chunk that is gone');
  return current && membersAt(table, current, only);
};

/**
 * The members of a list, as contact numbers; undefined if the organization has no such list. One read of the list, and a round trip per 100
 * of its chunks of 65,536 numbers; consistent.
 */
export const readMembers = async (
  table: Table,
  organizationId: Id<'organization'>,
  listId: Id<'list'>,
): Promise<NumberSet | undefined> => {
  const list = await readList(table, organizationId, listId);
  return list && (await membersAt(table, list))?.members;
};

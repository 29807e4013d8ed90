import type { Contact } from '../../domain/contacts/contact.ts';
import { isRefusal, type Refusal } from '../../domain/core/errors.ts';
import { type CursorRequest, cursorPage } from '../client/cursor-pages.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readContact } from './contacts.ts';

/** Contacts read at once: a page is never in memory with all data of its contacts. */
const PER_READ = 100;

/**
 * A page of an organization's contacts, newest first, as rows created by `rowOf`: its index entries, and one read per contact. 400 for a
 * cursor of another list.
 */
export const contactExportPage = async <T>(
  table: Table,
  request: CursorRequest,
  rowOf: (contact: Contact) => T,
): Promise<{ readonly items: readonly T[]; readonly nextCursor?: string } | Refusal<'BAD_REQUEST'>> => {
  const partition = INDEX_KEYS.contactsOf(request.scope.organizationId, '', '').gsi1pk;
  const page = await cursorPage(table, { index: 'gsi1', partition }, request);
  if (isRefusal(page)) return page;
  const { keys, ...next } = page;
  const items: T[] = [];
  for (let at = 0; at < keys.length; at += PER_READ) {
    const rows = await table.getMany(keys.slice(at, at + PER_READ));
    for (const row of rows) if (row) items.push(rowOf(readContact(row)));
  }
  return { items, ...next };
};

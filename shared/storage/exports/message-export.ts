import type { CursorItems } from '../../domain/core/cursor.ts';
import { isRefusal, type Refusal } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { ExportChannel } from '../../domain/exports/export-row.ts';
import type { StoredMessage } from '../../domain/message/inbound-message.ts';
import { KEYS } from '../access-patterns.ts';
import { type CursorRequest, cursorAfter, cursorPage, type ListRange } from '../client/cursor-pages.ts';
import type { Window } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { contactRows } from '../contacts/contacts.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readStoredMessage } from '../messages/inbound-rows.ts';
import { messageRange, readListShards } from '../messages/message-lists.ts';

/** Messages read at once: a page is never in memory with all contents of its messages. */
const PER_READ = 100;
/**
 * The maximum JSON size of a page, in bytes. Lambda responses have at most 6 MB, in which quotes and backslashes are escaped once more. The
 * metadata of 1,000 messages may exceed this; then a page ends early.
 */
const MAX_PAGE_BYTES = 2_500_000;

/** The messages of a channel, sent and received, as one list. */
const rangeOf = async (table: Table, request: CursorRequest, channel: ExportChannel, window: Window) => {
  const { organizationId } = request.scope;
  const sent = messageRange(organizationId, channel, window, undefined, await readListShards(table, organizationId));
  const received = INDEX_KEYS.inboundOf(organizationId, channel, '', '').gsi1pk;
  return { ...sent, others: [...(sent.others ?? []), received] } satisfies ListRange;
};

const readCaller = contactRows.pick('organizationId', 'externalId');

/** Looks up the external ids of an organization's contacts, without duplicates. */
const externalIds = (table: Table, organizationId: Id<'organization'>) => {
  const known = new Map<Id<'contact'>, string | undefined>();
  return async (messages: readonly StoredMessage[]): Promise<ReadonlyMap<Id<'contact'>, string | undefined>> => {
    const named = messages.flatMap(({ contactId }) => (contactId && !known.has(contactId) ? [contactId] : []));
    const ids = [...new Set(named)];
    const rows = await table.getMany(ids.map(KEYS.contact), { only: ['pk', 'sk', 'org', 'externalId'] });
    for (const [at, id] of ids.entries()) {
      const contact = rows[at] && readCaller(rows[at]);
      known.set(id, contact?.organizationId === organizationId ? contact.externalId : undefined);
    }
    return known;
  };
};

/**
 * A page of an organization's messages of a channel, sent and received, newest first, as rows that `rowOf` creates from a message and the
 * external id of its contact. Its cost does not grow with the export: the page's index entries, one read per message, and one per contact.
 * A page with much metadata ends before `limit`. 400 for a cursor of another export.
 */
export const exportPage = async <T>(
  table: Table,
  channel: ExportChannel,
  window: Window,
  request: CursorRequest,
  rowOf: (message: StoredMessage, externalId: string | undefined) => T,
): Promise<CursorItems<T> | Refusal<'BAD_REQUEST'>> => {
  const range = await rangeOf(table, request, channel, window);
  const page = await cursorPage(table, range, request);
  if (isRefusal(page)) return page;
  const { keys, ...next } = page;
  const externalIdsOf = externalIds(table, request.scope.organizationId);
  const items: T[] = [];
  let bytes = 0;
  let last: Row | undefined;
  for (let at = 0; at < keys.length; at += PER_READ) {
    const chunk = keys.slice(at, at + PER_READ);
    const rows = await table.getMany(chunk);
    const messages = rows.map((row) => row && readStoredMessage(row));
    const ids = await externalIdsOf(messages.filter((message) => message !== undefined));
    for (const [place, message] of messages.entries()) {
      const item = message && rowOf(message, message.contactId && ids.get(message.contactId));
      const size = item === undefined ? 0 : Buffer.byteLength(JSON.stringify(item));
      if (last && bytes + size > MAX_PAGE_BYTES) return { items, nextCursor: cursorAfter(range, request, last) };
      bytes += size;
      last = chunk[place];
      if (item !== undefined) items.push(item);
    }
  }
  return { items, ...next };
};

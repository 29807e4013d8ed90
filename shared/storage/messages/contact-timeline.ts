import * as z from 'zod';
import type { ContactItem } from '../../domain/api/contact-timeline.ts';
import { CHANNELS } from '../../domain/channels/registry.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import { type CursorItems, encodeCursor, openCursor } from '../../domain/core/cursor.ts';
import { isRefusal, type Refusal } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { CursorRequest } from '../client/cursor-pages.ts';
import { mergeNewest } from '../client/merge-newest.ts';
import { fullRows } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { turnRows } from '../contacts/ai-turns.ts';
import { customerEventRows } from '../customer-events/customer-events.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readStoredMessage } from './inbound-rows.ts';
import { addressPartitions } from './unnamed-messages.ts';

/** The index sort key of the last entry of the page before: a time and an id, no personal data. */
const position = z.strictObject({ before: z.string() });

const TURN_SORT_KEY = KEYS.aiTurn('' as Id<'aiTurn'>).sk;
const EVENT_SORT_KEY = KEYS.customerEvent('' as Id<'customerEvent'>).sk;

/** An index partition: of entries that refer to the contact, or of those of an address. */
interface Part {
  readonly index: 'gsi2' | 'gsi4';
  readonly partition: string;
}

/** All partitions of a contact's timeline. */
const partsOf = (contactId: Id<'contact'>): readonly Part[] =>
  [
    INDEX_KEYS.turnsOfContact(contactId, '', '').gsi2pk,
    INDEX_KEYS.customerEventsOfContact(contactId, '', '').gsi2pk,
    ...CHANNELS.flatMap((channel) => [
      INDEX_KEYS.messagesOfContact(contactId, channel, '', '').gsi2pk,
      INDEX_KEYS.inboundOfContact(contactId, channel, '', '').gsi2pk,
    ]),
  ].map((partition) => ({ index: 'gsi2', partition }));

/** The messages to and from the phones and addresses of a contact, including those without a contact. */
const addressPartsOf = async (table: Table, contact: Contact): Promise<readonly Part[]> => {
  const { id: contactId, organizationId, mergedContacts = [] } = contact;
  const found = await Promise.all(
    [contact, ...mergedContacts].flatMap(({ phoneHash, emailHash }) =>
      CHANNELS.map((channel) => addressPartitions(table, { contactId, organizationId, phoneHash, emailHash }, channel)),
    ),
  );
  return found.flat().map((partition) => ({ index: 'gsi4', partition }));
};

/** The newest entries of a partition before a sort key; read once, since a page needs no more. */
const newestOf = (table: Table, { index, partition }: Part, before: string | undefined, limit: number) => {
  let isRead = false;
  return async (): Promise<readonly Row[] | undefined> => {
    if (isRead) return undefined;
    isRead = true;
    const sort = before === undefined ? undefined : { text: `#${index}sk < :before`, values: { before } };
    const { rows } = await table.query({
      index,
      partition,
      sort,
      newestFirst: true,
      only: ['pk', 'sk', `${index}sk`, 'contactId'],
      limit,
    });
    return rows;
  };
};

const orderOf = (row: Row): string => String(row.gsi2sk ?? row.gsi4sk);
/** Whether an entry of an address refers to a contact: then it is already among that contact's own. */
const isNamed = (row: Row): boolean => row.gsi2sk === undefined && row.contactId !== undefined;

const itemOf = (row: Row): ContactItem => {
  if (row.sk === TURN_SORT_KEY) return { turn: turnRows.read(row) };
  return row.sk === EVENT_SORT_KEY ? { event: customerEventRows.read(row) } : { message: readStoredMessage(row) };
};

const pageOf = async (
  table: Table,
  parts: readonly Part[],
  request: CursorRequest,
): Promise<CursorItems<ContactItem> | Refusal<'BAD_REQUEST'>> => {
  const { vault, scope, limit } = request;
  const from = openCursor(position, request);
  if (isRefusal(from)) return from;
  const sources = parts.map((part) => newestOf(table, part, from?.before, limit + 1));
  const found = await mergeNewest(sources, orderOf, 0, limit + 1);
  const keys = found.slice(0, limit);
  const last = found.length > limit ? keys.at(-1) : undefined;
  const rows = await fullRows(
    table,
    keys.filter((row) => !isNamed(row)),
  );
  const items = rows.filter((row) => row.org === scope.organizationId).map(itemOf);
  return { items, ...(last ? { nextCursor: encodeCursor(vault, scope, { before: orderOf(last) }) } : {}) };
};

/**
 * A page of the timeline of an organization's contact, newest first: one query per channel and direction, one for turns and one for
 * customer events, each of at most a page and in parallel, and one read of the page's rows, however long the timeline. 400 for a cursor of
 * another list.
 */
export const contactTimelinePage = (table: Table, contactId: Id<'contact'>, request: CursorRequest) =>
  pageOf(table, partsOf(contactId), request);

/**
 * The same including messages to and from the contact's phones and addresses that refer to no contact: two more queries for each of these
 * and each of its channels. Messages that refer to another contact are omitted, so a page may have fewer items, and still a next page.
 */
export const contactExportPage = async (table: Table, contact: Contact, request: CursorRequest) =>
  pageOf(table, [...partsOf(contact.id), ...(await addressPartsOf(table, contact))], request);

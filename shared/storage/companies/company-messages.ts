import { CHANNELS } from '../../domain/channels/registry.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { StoredMessage } from '../../domain/message/inbound-message.ts';
import { between, fullRows, type Window } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readStoredMessage } from '../messages/inbound-rows.ts';
import { contactsOf } from './company-contacts.ts';

/** Contacts whose messages are included: those that wrote last. Each costs two queries per channel. */
export const MAX_CONTACTS = 50;
const CONCURRENT_QUERIES = 24;

const partitionsOf = (contactId: Id<'contact'>): readonly string[] =>
  CHANNELS.flatMap((channel) => [
    INDEX_KEYS.messagesOfContact(contactId, channel, '', '').gsi2pk,
    INDEX_KEYS.inboundOfContact(contactId, channel, '', '').gsi2pk,
  ]);

const orderOf = ({ gsi2sk }: Row): string => String(gsi2sk);

/**
 * The messages of a company's contacts within a window of time, newest first, at most `limit`: of the 50 contacts that wrote last. A query
 * for each contact, channel and direction, 24 in parallel, and one read of the messages.
 */
export const messagesOfCompany = async (
  table: Table,
  organizationId: Id<'organization'>,
  companyId: Id<'company'>,
  window: Window,
  limit: number,
): Promise<readonly StoredMessage[]> => {
  const contacts = await contactsOf(table, organizationId, companyId, { skip: 0, limit: MAX_CONTACTS });
  const partitions = contacts.flatMap(({ id }) => partitionsOf(id));
  const found = await mapConcurrently(partitions, CONCURRENT_QUERIES, async (partition) => {
    const only = ['pk', 'sk', 'gsi2sk'];
    const range = { index: 'gsi2', partition, sort: between(window), newestFirst: true, only, limit } as const;
    return (await table.query(range)).rows;
  });
  const newest = found.flat().sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));
  const rows = await fullRows(table, newest.slice(0, limit));
  return rows.filter(({ org }) => org === organizationId).map(readStoredMessage);
};

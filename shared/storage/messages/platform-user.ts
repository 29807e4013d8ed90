import type { Id } from '../../domain/core/ids.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { Key } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readStoredMessage } from './inbound-rows.ts';

/**
 * A contact's user on one of Meta's channels, by its id there: the sender or recipient of the contact's latest message; undefined if there
 * is none. Contacts store no such id, and it can't be derived from a phone. Two queries and a read.
 */
export const platformUserOf = async (
  table: Table,
  organizationId: Id<'organization'>,
  contactId: Id<'contact'>,
  channel: Channel,
): Promise<string | undefined> => {
  const partitions = [
    INDEX_KEYS.messagesOfContact(contactId, channel, '', '').gsi2pk,
    INDEX_KEYS.inboundOfContact(contactId, channel, '', '').gsi2pk,
  ];
  const latest = await Promise.all(
    partitions.map((partition) =>
      table.query({ index: 'gsi2', partition, newestFirst: true, limit: 1, only: ['pk', 'sk'] }),
    ),
  );
  const rows = await table.getMany(latest.flatMap((page): readonly Key[] => page.rows));
  const [last] = rows
    .flatMap((row) => (row?.org === organizationId ? [readStoredMessage(row)] : []))
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return last && (last.direction === 'inbound' ? last.from : last.to);
};

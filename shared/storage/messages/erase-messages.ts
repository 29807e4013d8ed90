import { CHANNELS, channelOf } from '../../domain/channels/registry.ts';
import type { Erasure } from '../../domain/contacts/erase.ts';
import type { SweepOutcome } from '../../domain/core/clear-links.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { InboundMessage } from '../../domain/message/inbound-message.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import { EXISTS } from '../client/conditions.ts';
import type { Row } from '../client/row.ts';
import type { QueryRange, Table } from '../client/table.ts';
import { eraseCounted } from '../contacts/erasures.ts';
import { sweepPartition, worstOf } from '../contacts/sweep.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { eraseDeliveries } from '../webhooks/erase-deliveries.ts';
import { dropFallback } from './fallbacks.ts';
import { erasedInboundWrite, inboundRows, isInbound } from './inbound-rows.ts';
import { eraseLinks } from './links.ts';
import { erasedWrite, messageRows } from './message-rows.ts';
import { replyRows } from './replies.ts';
import { addressPartitions } from './unnamed-messages.ts';

const IN_FLIGHT = 16;
const ofContact = (partition: string): QueryRange => ({ index: 'gsi2', partition, only: ['pk', 'sk'] });
/** Entries of a recipient until the deletion, except messages that refer to another contact. */
const ofRecipient = (partition: string, { at }: Erasure): QueryRange => ({
  index: 'gsi4',
  partition,
  sort: { text: '#sk <= :until', values: { until: `${isoTime(at)}~` } },
  only: ['pk', 'sk'],
});

/** The index entries of a person's messages of a channel, both directions. */
const rangesOf = async (table: Table, erasure: Erasure, channel: Channel): Promise<readonly QueryRange[]> => {
  const { contactId } = erasure;
  return [
    ofContact(INDEX_KEYS.messagesOfContact(contactId, channel, '', '').gsi2pk),
    ofContact(INDEX_KEYS.inboundOfContact(contactId, channel, '', '').gsi2pk),
    ...(await addressPartitions(table, erasure, channel)).map((partition) => ofRecipient(partition, erasure)),
  ];
};

/** Removes the person from the replies to a message. Idempotent. */
const eraseReplies = async (table: Table, messageId: Id<'message'>): Promise<void> => {
  const partition = INDEX_KEYS.repliesTo(messageId, '', '').gsi2pk;
  const rows = await table.queryAll({ index: 'gsi2', partition, only: ['pk', 'sk'] });
  const found = await table.getMany(rows.map(({ pk, sk }) => ({ pk, sk })));
  const replies = found.flatMap((row) => (row ? [replyRows.read(row)] : []));
  const set = replyRows.set({ from: '', body: '' });
  await Promise.all(replies.map(({ id }) => table.write({ update: KEYS.reply(id), set, when: EXISTS })));
};

/** Cancels a queued message; a later pass erases it. */
export type CancelQueued = (organizationId: Id<'organization'>, id: Id<'message'>) => Promise<void>;

const eraseSent = async (
  table: Table,
  erasure: Erasure,
  cancelQueued: CancelQueued,
  messages: readonly MessageRecord[],
): Promise<SweepOutcome> => {
  const settled = messages.filter(({ hold }) => hold !== 'open');
  const queued = messages.filter(({ hold, status }) => hold === 'open' && status === 'queued');
  await mapConcurrently(queued, IN_FLIGHT, ({ id }) => cancelQueued(erasure.organizationId, id));
  await mapConcurrently(settled, IN_FLIGHT, async (message) => {
    const { id, channel, fallbackId } = message;
    await eraseLinks(table, message);
    if (fallbackId === id) await dropFallback(table, id);
    if (channelOf(channel).receivesReplies) await eraseReplies(table, id);
  });
  await eraseDeliveries(table, settled);
  const writes = settled.map((message) => erasedWrite(message, erasure.at));
  if (!(await eraseCounted(table, erasure, 'messages', writes)) || queued.length > 0) return 'more';
  return settled.length < messages.length ? 'later' : 'done';
};

const eraseReceived = async (
  table: Table,
  erasure: Erasure,
  messages: readonly InboundMessage[],
): Promise<SweepOutcome> => {
  await eraseDeliveries(table, messages);
  const writes = messages.map((message) => erasedInboundWrite(message, erasure.at));
  return (await eraseCounted(table, erasure, 'received', writes)) ? 'done' : 'more';
};

/**
 * Removes a person from its messages of every channel and direction, with their replies, fallbacks, events and deliveries. Queued ones are
 * cancelled first; messages in flight are left for a later pass.
 */
export const eraseMessages =
  (table: Table, cancelQueued: CancelQueued) =>
  async (erasure: Erasure): Promise<SweepOutcome> => {
    const isOfPerson = ({ org, contactId, erasedAt }: Row) =>
      org === erasure.organizationId &&
      erasedAt === undefined &&
      (contactId === undefined || contactId === erasure.contactId);
    const ranges = (await Promise.all(CHANNELS.map((channel) => rangesOf(table, erasure, channel)))).flat();
    const outcomes: SweepOutcome[] = [];
    for (const range of ranges)
      outcomes.push(
        await sweepPartition(table, range, async (rows) => {
          const own = rows.filter(isOfPerson);
          const received = own.filter(isInbound).map(inboundRows.read);
          const sent = own.filter((row) => !isInbound(row)).map(messageRows.read);
          return worstOf([
            await eraseSent(table, erasure, cancelQueued, sent),
            await eraseReceived(table, erasure, received),
          ]);
        }),
      );
    return worstOf(outcomes);
  };

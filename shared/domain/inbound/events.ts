import type { DomainEvent } from '../events/event.ts';
import { rulesOf } from '../messages/channels.ts';
import { messageEventId } from '../messages/events.ts';
import type { MessageRecord } from '../messages/message.ts';
import { isoTime } from '../time.ts';
import { type InboundMessage, receivedEventOf } from './message.ts';

const given = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/**
 * The one event of an inbound message (interface, part 6). The sender is masked here, and unmasked only at delivery to whoever may see
 * it. The campaign tag and the metadata are those of the message that it answers: every event about a message returns them.
 */
export const receivedEvent = (
  message: InboundMessage,
  answered: Pick<MessageRecord, 'campaignId' | 'metadata'> | undefined,
  more: Readonly<Record<string, unknown>>,
): DomainEvent => {
  const { id, organizationId, env, channel, createdAt } = message;
  const type = receivedEventOf(channel);
  return {
    id: messageEventId(id, type),
    type,
    organizationId,
    env,
    createdAt,
    data: given({
      id,
      channel,
      from: rulesOf(channel).mask(message.from),
      type: message.type,
      payload: message.payload,
      receivedAt: isoTime(message.sentAt),
      contactId: message.contactId,
      numberId: message.numberId,
      instagramAccountId: message.instagramAccountId,
      inReplyTo: message.inReplyTo,
      origemDoLink: message.origemDoLink,
      campaignId: answered?.campaignId,
      metadata: answered?.metadata && { ...answered.metadata },
      ...more,
    }),
  };
};

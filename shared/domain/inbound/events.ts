import { channelOf } from '../channels/registry.ts';
import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { InboundMessage } from '../message/inbound-message.ts';
import type { MessageRecord } from '../message/message.ts';
import { messageEventId } from '../tracking/events.ts';

/** An SMS has its text, with the id of its inbound message beside the reply's; messages of other channels have their type and payload. */
const contentOf = ({ id, type, payload }: InboundMessage, eventType: DomainEvent['type']) =>
  eventType === 'sms.received' ? { messageId: id, body: payload.text ?? '' } : { type, payload };

/**
 * The event of an inbound message (docs/spec/inbound.md#inbound-events). The sender is masked; delivery unmasks it for subscriptions that
 * may see it. Campaign tag and metadata are those of the message it replies to.
 */
export const receivedEvent = (
  message: InboundMessage,
  repliedTo: Pick<MessageRecord, 'campaignId' | 'metadata'> | undefined,
  more: Readonly<Record<string, unknown>>,
): DomainEvent => {
  const { id, organizationId, env, channel, createdAt } = message;
  const type = channelOf(channel).receivedEvent;
  return {
    id: messageEventId(id, type),
    type,
    organizationId,
    env,
    createdAt,
    data: definedFields({
      id,
      channel,
      from: channelOf(channel).mask(message.from),
      ...contentOf(message, type),
      receivedAt: isoTime(message.sentAt),
      contactId: message.contactId,
      numberId: message.numberId,
      instagramAccountId: message.instagramAccountId,
      inReplyTo: message.inReplyTo,
      origemDoLink: message.origemDoLink,
      campaignId: repliedTo?.campaignId,
      metadata: repliedTo?.metadata && { ...repliedTo.metadata },
      ...more,
    }),
  };
};

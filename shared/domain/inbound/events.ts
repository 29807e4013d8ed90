import { channelOf } from '../channels/registry.ts';
import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { InboundMessage } from '../message/inbound-message.ts';
import type { MessageRecord } from '../message/message.ts';
import { messageEventId } from '../tracking/events.ts';

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
  const definition = channelOf(channel);
  const type = definition.receivedEvent;
  return {
    id: messageEventId(id, type),
    type,
    organizationId,
    env,
    createdAt,
    data: definedFields({
      id,
      channel,
      from: definition.mask(message.from),
      ...(definition.receivedContent?.(message) ?? { type: message.type, payload: message.payload }),
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

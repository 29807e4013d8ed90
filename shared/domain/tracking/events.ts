import { channelOf } from '../channels/registry.ts';
import { derivedId, type Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { storedPriority } from '../core/priority.ts';
import type { EventType } from '../events/catalogue.ts';
import type { DomainEvent } from '../events/event.ts';
import type { MessageRecord, MessageStatus } from '../message/message.ts';
import type { EngagementEvent } from '../message/provider-port.ts';

/** An open or a click of a message; `at` in ms. */
export interface Engaged {
  readonly message: MessageRecord;
  readonly what: EngagementEvent['what'];
  readonly at: number;
}

/** The `data` of a message's event (docs/spec/webhooks.md#envelope). The recipient is masked; delivery unmasks it for subscriptions that may see it. */
export const messageEventData = (
  message: MessageRecord,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => {
  const { mask, eventData } = channelOf(message.channel);
  return {
    id: message.id,
    channel: message.channel,
    to: mask(message.to),
    status: message.status,
    ...definedFields({
      route: message.route,
      reason: message.reason,
      contactId: message.contactId,
      campaignId: message.campaignId,
      metadata: message.metadata ? { ...message.metadata } : undefined,
      replaces: message.replaces,
      fallbackOf: message.fallbackId === message.id ? undefined : message.fallbackId,
    }),
    ...eventData?.(message),
    ...more,
  };
};

/** The id of an event type that a message raises at most once. It is derived, so a message's deliveries are found without listing its events. */
export const messageEventId = (messageId: Id<'message'>, type: EventType): Id<'event'> =>
  derivedId('event', [messageId, type]);

/** An event about a message. A type that a message can raise repeatedly needs its own id. */
export const messageEvent = (
  type: EventType,
  message: MessageRecord,
  createdAt: number,
  more?: Readonly<Record<string, unknown>>,
): DomainEvent => ({
  id: messageEventId(message.id, type),
  type,
  organizationId: message.organizationId,
  env: message.env,
  createdAt,
  data: messageEventData(message, more),
  ...storedPriority(message),
});

/** The channel's event of a status; message.failed for failures where the channel has no event of its own. */
export const eventTypeOf = ({ channel }: MessageRecord, status: MessageStatus): EventType | undefined =>
  channelOf(channel).eventOf[status] ?? (status === 'failed' ? 'message.failed' : undefined);

/** The events to raise when a message reaches a status. */
export const eventsOfStatus = (message: MessageRecord, status: MessageStatus, at: number): readonly DomainEvent[] => {
  const type = eventTypeOf(message, status);
  return type ? [messageEvent(type, { ...message, status }, at)] : [];
};

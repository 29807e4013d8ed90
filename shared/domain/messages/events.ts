import type { EventType } from '../events/catalogue.ts';
import type { DomainEvent } from '../events/event.ts';
import { derivedId, type Id } from '../ids.ts';
import { rulesOf } from './channels.ts';
import type { MessageRecord, MessageStatus } from './message.ts';

const given = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** `data` of a message's event (decisions, part 5): the recipient is masked here, and unmasked only at delivery to whoever may see it. */
export const messageEventData = (
  message: MessageRecord,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => {
  const { mask, eventData } = rulesOf(message.channel);
  return {
    id: message.id,
    channel: message.channel,
    to: mask(message.to),
    status: message.status,
    ...given({
      route: message.route,
      reason: message.reason,
      contactId: message.contactId,
      campaignId: message.campaignId,
      metadata: message.metadata ? { ...message.metadata } : undefined,
      replaces: message.replaces,
      fallbackOf: message.chainId === message.id ? undefined : message.chainId,
    }),
    ...eventData?.(message),
    ...more,
  };
};

/** The id of a message's event of a kind, which it raises at most once: so a message's deliveries are found without a row that lists its events. */
export const messageEventId = (messageId: string, type: EventType): Id<'event'> =>
  derivedId('event', [messageId, type]);

/** An event about a message as it stands. A kind that a message may raise again needs an id of its own. */
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
});

/** The channel's own event of a status. A failure that the channel has none for is told as any message's: nobody waits in vain. */
export const eventTypeOf = ({ channel }: MessageRecord, status: MessageStatus): EventType | undefined =>
  rulesOf(channel).eventOf[status] ?? (status === 'failed' ? 'message.failed' : undefined);

/** The events of a message that reaches a status: the channel's own, or none. */
export const eventsOfStatus = (message: MessageRecord, status: MessageStatus, at: number): readonly DomainEvent[] => {
  const type = eventTypeOf(message, status);
  return type ? [messageEvent(type, { ...message, status }, at)] : [];
};

import { canonical } from '../core/canonical.ts';
import { asId, derivedId, type Id } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import { openHeaders } from './header-values.ts';
import type { WebhookPorts } from './ports.ts';
import type { Delivery, Subscription } from './subscription.ts';

/** A delivery's id is derived from its subscription and event, so that a repeated fan-out creates no second one. */
export const deliveryIdOf = (webhookId: Id<'webhook'>, eventId: Id<'event'>): Id<'delivery'> =>
  derivedId('delivery', [webhookId, eventId]);

/** An event as receivers get it (docs/spec/webhooks.md#envelope): the same bytes at every attempt. */
export const envelopeOf = (event: Omit<DomainEvent, 'type'> & { readonly type: string }, sequence?: number) => ({
  id: event.id,
  type: event.type,
  timestamp: isoTime(event.createdAt),
  env: event.env,
  organizationId: event.organizationId,
  ...(sequence === undefined ? {} : { sequence }),
  data: canonical(event.data) as Readonly<Record<string, unknown>>,
});

/** The fields with a person's address: the recipient of a sent message, the sender of an inbound one, the phone of a contact. */
export const PARTIES = ['to', 'from', 'phone'] as const;

/** The person's address in full: from the message of the event, or from the contact. */
const addressOf = async (
  ports: Pick<WebhookPorts, 'recipient' | 'contactPhone'>,
  { organizationId, data }: DomainEvent,
  party: (typeof PARTIES)[number],
): Promise<string | undefined> => {
  const contactId = asId('contact', String(data.contactId));
  if (party === 'phone') return contactId && ports.contactPhone(organizationId, contactId);
  // An SMS reply has its own id, and refers to its inbound message.
  const messageId = asId('message', String(data.messageId ?? data.id));
  return messageId && ports.recipient(organizationId, messageId);
};

/** The event with the person's address as the subscription's creator may see it: in full or masked. */
export const asSeenBy = async (
  ports: Pick<WebhookPorts, 'recipient' | 'contactPhone'>,
  subscription: Subscription,
  event: DomainEvent,
): Promise<DomainEvent> => {
  const party = PARTIES.find((name) => typeof event.data[name] === 'string');
  if (!subscription.unmasked || party === undefined) return event;
  const address = await addressOf(ports, event, party);
  return address === undefined ? event : { ...event, data: { ...event.data, [party]: address } };
};

/** The secrets that currently sign, newest first. */
const liveSecrets = async (
  ports: Pick<WebhookPorts, 'open'>,
  subscription: Subscription,
  now: number,
): Promise<string[]> => {
  const live = subscription.secrets.filter(({ endsAt }) => endsAt === undefined || endsAt > now);
  return Promise.all(live.map(({ sealed }) => ports.open(subscription.organizationId, subscription.id, sealed)));
};

/**
 * The headers of an attempt (Standard Webhooks 1.0), lower-case. The subscription's own come first, so that they can't
 * override these.
 */
export const attemptHeaders = async (
  ports: Pick<WebhookPorts, 'open' | 'openHeader' | 'sign' | 'userAgent'>,
  subscription: Subscription,
  eventId: Id<'event'>,
  now: number,
  body: string,
): Promise<Record<string, string>> => {
  const seconds = Math.floor(now / 1000);
  const secrets = await liveSecrets(ports, subscription, now);
  return {
    ...(await openHeaders(ports, subscription)),
    'content-type': 'application/json',
    'user-agent': ports.userAgent,
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': ports.sign(secrets, eventId, seconds, body),
  };
};

/** The body of an attempt with `event`; defined here so that the feed and the attempts cannot differ. */
export const bodyOf = (
  event: Omit<DomainEvent, 'type'> & { readonly type: string },
  delivery: Pick<Delivery, 'sequence'>,
): string => JSON.stringify(envelopeOf(event, delivery.sequence));

import { canonical } from '../core/canonical.ts';
import { asId, derivedId, type Id } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import { isReservedHeader } from './headers.ts';
import type { WebhookPorts } from './ports.ts';
import type { Delivery, Subscription } from './subscription.ts';

/** A delivery's id is derived from its subscription and event, so that a repeated fan-out makes no second one. */
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

/** The fields with the other party's address: the recipient of a sent message, the sender of an inbound one. */
export const PARTIES = ['to', 'from'] as const;

/** The event with the other party's address as the subscription's creator may see it: in full or masked. */
export const asSeenBy = async (
  ports: Pick<WebhookPorts, 'recipient'>,
  subscription: Subscription,
  event: DomainEvent,
): Promise<DomainEvent> => {
  const { data } = event;
  const party = PARTIES.find((name) => typeof data[name] === 'string');
  // An SMS reply has its own id, and names the inbound message that it is.
  const id = asId('message', String(data.messageId ?? data.id));
  if (!subscription.unmasked || party === undefined || id === undefined) return event;
  const address = await ports.recipient(id);
  return address === undefined ? event : { ...event, data: { ...data, [party]: address } };
};

/** The secrets that sign now, newest first. */
const liveSecrets = async (
  ports: Pick<WebhookPorts, 'open'>,
  subscription: Subscription,
  now: number,
): Promise<string[]> => {
  const live = subscription.secrets.filter(({ endsAt }) => endsAt === undefined || endsAt > now);
  return Promise.all(live.map(({ sealed }) => ports.open(subscription.organizationId, subscription.id, sealed)));
};

/** The headers of an attempt (Standard Webhooks 1.0), lower-case. A subscription's own header with a reserved name is left out, even if it was stored. */
export const attemptHeaders = async (
  ports: Pick<WebhookPorts, 'open' | 'sign' | 'userAgent'>,
  subscription: Subscription,
  eventId: Id<'event'>,
  now: number,
  body: string,
): Promise<Record<string, string>> => {
  const seconds = Math.floor(now / 1000);
  const secrets = await liveSecrets(ports, subscription, now);
  const custom = (subscription.headers ?? []).filter(({ key }) => !isReservedHeader(key));
  return {
    ...Object.fromEntries(custom.map(({ key, value }) => [key.toLowerCase(), value])),
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

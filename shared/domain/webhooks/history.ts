import type { AuditEntry } from '../audit/entry.ts';
import type { Actor } from '../core/actor.ts';
import { refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { CONCURRENT_WRITES, inOrder, MAX_ENQUEUED } from './backlog.ts';
import { invalid } from './change.ts';
import { asSeenBy, envelopeOf } from './envelope.ts';
import { exchangeFor, seesInFull } from './exchange.ts';
import { hideHeaderValues } from './header-values.ts';
import { absent, moved, webhookEntry } from './manage.ts';
import type { Attempt, Exchange, WebhookPorts } from './ports.ts';
import type { Delivery, DeliveryStatus } from './subscription.ts';

/** Deliveries that one call may replay. */
const MAX_REPLAYED = 10_000;

/** A delivery of the caller's subscription. */
export const findDelivery = async (
  ports: WebhookPorts,
  actor: Actor,
  id: Id<'webhook'>,
  deliveryId: Id<'delivery'>,
) => {
  const delivery = await ports.deliveries.read(deliveryId);
  return delivery?.webhookId === id && delivery.organizationId === actor.organizationId
    ? delivery
    : refuse('NOT_FOUND', 'There is no such delivery.');
};

/** A page of the deliveries of the caller's subscription, newest first. */
export const listDeliveries = async (
  ports: WebhookPorts,
  actor: Actor,
  id: Id<'webhook'>,
  status: DeliveryStatus | undefined,
  page: { readonly limit: number; readonly skip: number },
) => {
  const subscription = await ports.subscriptions.read(actor.organizationId, id);
  return subscription ? ports.deliveries.page(subscription.id, { status }, page) : absent();
};

/** The exchange of an attempt that was never sent. */
const NOTHING: Exchange = { requestHeaders: {}, requestBody: '' };

/**
 * A delivery's attempts, without the values of custom headers, and with addresses in full only for callers who may see
 * them.
 */
export const attemptsOf = async (
  ports: WebhookPorts,
  actor: Actor,
  delivery: Delivery,
): Promise<readonly Attempt[]> => {
  const kept = await ports.deliveries.attempts(delivery.id);
  const open = async (sealed: string | undefined): Promise<Exchange> =>
    sealed === undefined
      ? NOTHING
      : hideHeaderValues(exchangeFor(actor, await ports.openExchange(delivery.organizationId, delivery.id, sealed)));
  return Promise.all(kept.map(async ({ exchange, ...attempt }) => ({ ...attempt, ...(await open(exchange)) })));
};

/** Delivers an event again, with the same id and sequence, in a new round of attempts. */
export const replayOne = async (ports: WebhookPorts, actor: Actor, id: Id<'webhook'>, deliveryId: Id<'delivery'>) => {
  const subscription = await ports.subscriptions.read(actor.organizationId, id);
  if (!subscription) return absent();
  const delivery = await findDelivery(ports, actor, id, deliveryId);
  if ('details' in delivery) return delivery;
  if (subscription.status === 'revoked') return moved();
  const now = ports.clock();
  const again = await ports.deliveries.replay(delivery, now, webhookEntry(actor, id, 'replayed', now, { count: 1 }));
  if (!again) return refuse('CONFLICT', 'The delivery is being tried at this moment.');
  ports.enqueue([again]);
  return again;
};

/** Replays the first delivery that no worker is attempting, together with the audit entry of the whole replay. */
const replayFirst = async (ports: WebhookPorts, ordered: readonly Delivery[], now: number, entry: AuditEntry) => {
  let tried = 0;
  for (const delivery of ordered) {
    tried++;
    const replayed = await ports.deliveries.replay(delivery, now, entry);
    if (replayed) return { tried, replayed };
  }
  return { tried, replayed: undefined };
};

/** Redelivers the events of a time range. 422 for more than 10,000: narrow the range. */
export const replayRange = async (
  ports: WebhookPorts,
  actor: Actor,
  id: Id<'webhook'>,
  range: { from: number; to: number; status?: DeliveryStatus | undefined },
) => {
  const subscription = await ports.subscriptions.read(actor.organizationId, id);
  if (!subscription) return absent();
  if (subscription.status === 'revoked') return moved();
  if (range.from > range.to) return invalid('to', 'must not be before from');
  const found = await ports.deliveries.newest(id, range, MAX_REPLAYED + 1);
  if (found.length > MAX_REPLAYED)
    return invalid('from', `holds more deliveries with to than the ${MAX_REPLAYED} that are replayed at once`);
  const now = ports.clock();
  const ordered = inOrder(found);
  const entry = webhookEntry(actor, id, 'replayed', now, { count: ordered.length });
  const first = await replayFirst(ports, ordered, now, entry);
  const tried = await mapConcurrently(ordered.slice(first.tried), CONCURRENT_WRITES, (delivery) =>
    ports.deliveries.replay(delivery, now),
  );
  const again = [first.replayed, ...tried].filter((delivery) => delivery !== undefined);
  ports.enqueue(again.slice(0, MAX_ENQUEUED));
  return { replayed: again.length };
};

/** The events after a sequence number, in order and without gaps, masked as the subscription and the caller require. */
export const pullEvents = async (
  ports: WebhookPorts,
  actor: Actor,
  id: Id<'webhook'>,
  after: number,
  limit: number,
) => {
  const subscription = await ports.subscriptions.read(actor.organizationId, id);
  if (!subscription) return absent();
  const seen = { ...subscription, unmasked: subscription.unmasked && seesInFull(actor) };
  const items: ReturnType<typeof envelopeOf>[] = [];
  for (let last = after; ; ) {
    const { entries, lastSequence } = await ports.deliveries.feed(id, last, limit - items.length);
    const events = await ports.events.readAll(entries.map(({ eventId }) => eventId));
    const shown = await Promise.all(
      entries.map(async ({ sequence }, at) => {
        const read = events[at];
        if (read?.status === 'rejected') throw read.reason;
        return read?.value && envelopeOf(await asSeenBy(ports, seen, read.value.event), sequence);
      }),
    );
    // A missing one has expired: the feed starts at the oldest that is kept.
    items.push(...shown.filter((item) => item !== undefined));
    last = entries.at(-1)?.sequence ?? lastSequence;
    if (items.length === limit || last >= lastSequence) return { items, lastSequence };
  }
};

import type { Id } from '../core/ids.ts';
import type { DomainEvent } from '../events/event.ts';
import { attempt } from './attempt.ts';
import { backlogWaitMs, fullWaitMs, triggerDrain } from './backlog.ts';
import { acquire, isThrottled, type ReleaseSlot } from './endpoint-limiter.ts';
import type { View } from './health.ts';
import type { ClaimedDelivery, WebhookPorts } from './ports.ts';
import { CLAIM_MS, RETRY_FOR_MS } from './schedule.ts';
import type { Delivery, Subscription } from './subscription.ts';

/**
 * The result of a due delivery: `waits` for a slot of its endpoint, or `ended` without an attempt. One of a backlog is
 * `crowded` out while other failing endpoints hold the slots.
 */
export type AttemptOutcome = 'delivered' | 'failed' | 'waits' | 'crowded' | 'ended';
/** Called when a failing endpoint recovered, or returned 410. */
type OnRecovery = (subscription: Subscription) => Promise<void>;

interface DueDelivery {
  readonly ports: WebhookPorts;
  readonly view: View;
  readonly delivery: Delivery;
  readonly event: DomainEvent;
  readonly onRecovery: OnRecovery;
}

const claim = (ports: WebhookPorts, delivery: Delivery): Promise<ClaimedDelivery | undefined> => {
  const now = ports.clock();
  return ports.deliveries.claim(delivery, now, now + CLAIM_MS);
};

/** The age of a claim, in ms, from which its worker may have crashed: most attempts take less. */
const OLD_CLAIM_MS = 5_000;

/**
 * Enqueues a delivery for the end of another worker's old claim, in case that worker crashed. If it has finished by
 * then, nothing happens.
 */
const recheck = (ports: WebhookPorts, delivery: Delivery, claimedUntil: number): void => {
  const left = claimedUntil - ports.clock();
  if (left <= CLAIM_MS - OLD_CLAIM_MS) ports.enqueue([delivery], Math.max(0, left / 1000));
};

const abandon = async (ports: WebhookPorts, delivery: Delivery, error: string): Promise<AttemptOutcome | undefined> => {
  const claimed = await claim(ports, delivery);
  if (!claimed) return undefined;
  await ports.deliveries.record(claimed, {
    attempt: { at: ports.clock(), durationMs: 0, error },
    status: 'abandoned',
  });
  return 'ended';
};

const tryNow = async (
  { ports, view, event, onRecovery }: DueDelivery,
  claimed: ClaimedDelivery,
  release: ReleaseSlot,
): Promise<AttemptOutcome | undefined> => {
  const attempted = await attempt(ports, view, claimed, event, release);
  if (attempted?.recovered) await onRecovery(view.subscription);
  return attempted && (attempted.delivered ? 'delivered' : 'failed');
};

/** Moves an unclaimed delivery to its endpoint's backlog. */
const moveToBacklog = async ({ ports, view: { subscription }, delivery }: DueDelivery): Promise<AttemptOutcome> => {
  if (delivery.inBacklog) return 'waits';
  const now = ports.clock();
  const wait = backlogWaitMs(ports, subscription);
  await ports.backlog.add(delivery, now, now + wait);
  if (subscription.drainAt === undefined) ports.enqueueDrain(subscription, wait / 1000);
  return 'waits';
};

/**
 * For a delivery whose slot other endpoints hold: it joins its backlog, so that any number of them cost one short wait,
 * and the drain does not wait as it does for the endpoint's own failures.
 */
const makeWay = async ({ ports, view: { subscription }, delivery }: DueDelivery): Promise<AttemptOutcome> => {
  if (delivery.inBacklog) return 'crowded';
  const now = ports.clock();
  const wait = fullWaitMs(ports);
  await ports.backlog.add(delivery, now, now + wait);
  if (subscription.drainAt === undefined || (await ports.backlog.hastenDrain(subscription, now + wait)))
    ports.enqueueDrain(subscription, wait / 1000);
  return 'waits';
};

/**
 * For a failing or slow endpoint: acquires a slot before claiming the delivery, since most deliveries find no free
 * slot.
 */
const attemptThrottled = async (due: DueDelivery): Promise<AttemptOutcome | undefined> => {
  const { ports, view, delivery } = due;
  const now = ports.clock();
  const since = delivery.firstAt ?? delivery.nextAttemptAt ?? now;
  if (delivery.inBacklog && since + RETRY_FOR_MS < now)
    return abandon(ports, delivery, 'its endpoint took nothing for 24 hours');
  const release = await acquire(view.subscription, 'at_once');
  if (release === 'own') return moveToBacklog(due);
  if (release === 'others') return makeWay(due);
  let claimed: ClaimedDelivery | undefined;
  try {
    claimed = await claim(ports, delivery);
  } finally {
    if (!claimed) release(false);
  }
  return claimed && tryNow(due, claimed, release);
};

/** For a healthy endpoint: claims the delivery before acquiring a slot, so that no slot waits for the table. */
const attemptHealthy = async (due: DueDelivery): Promise<AttemptOutcome | undefined> => {
  const { ports, view, delivery } = due;
  const claimed = await claim(ports, delivery);
  if (!claimed) return undefined;
  const release = await acquire(view.subscription, 'patient');
  if (typeof release === 'function') return tryNow(due, claimed, release);
  const wait = fullWaitMs(ports);
  await ports.deliveries.postpone(claimed, ports.clock() + wait);
  ports.enqueue([delivery], wait / 1000);
  return 'waits';
};

const attemptDue = async (
  ports: WebhookPorts,
  delivery: Delivery,
  view: View | undefined,
  event: DomainEvent | undefined,
  onRecovery: OnRecovery,
): Promise<AttemptOutcome | undefined> => {
  if (!view || !event || view.subscription.status === 'revoked')
    return abandon(ports, delivery, 'the subscription is revoked, or its event is gone');
  const due = { ports, view, delivery, event, onRecovery };
  if (view.subscription.status === 'paused' && delivery.sequence !== undefined) return moveToBacklog(due);
  return isThrottled(view.subscription, ports.clock()) ? attemptThrottled(due) : attemptHealthy(due);
};

const unwrap = <T>(outcome: PromiseSettledResult<T> | undefined): T | undefined => {
  if (outcome?.status === 'rejected') throw outcome.reason;
  return outcome?.value;
};

/** The events and subscriptions of a batch of deliveries: one call each, every row read once. */
const needsOf = async (ports: WebhookPorts, deliveries: readonly Delivery[]) => {
  const eventIds = [...new Set(deliveries.map(({ eventId }) => eventId))];
  const owners = [...new Map(deliveries.map((delivery) => [delivery.webhookId, delivery])).values()];
  const [events, subscriptions] =
    deliveries.length === 0
      ? [[], []]
      : await Promise.all([ports.events.readAll(eventIds), ports.subscriptions.readAll(owners)]);
  const views = new Map<Id<'webhook'>, PromiseSettledResult<View | undefined>>();
  for (const [at, { webhookId }] of owners.entries()) {
    const read = subscriptions[at];
    if (read?.status === 'rejected') views.set(webhookId, read);
    const subscription = read?.status === 'fulfilled' ? read.value : undefined;
    if (subscription) views.set(webhookId, { status: 'fulfilled', value: { subscription, noted: Promise.resolve() } });
  }
  return {
    view: ({ webhookId }: Delivery) => unwrap(views.get(webhookId)),
    event: ({ eventId }: Delivery) => unwrap(events[eventIds.indexOf(eventId)])?.event,
  };
};

/**
 * Attempts due deliveries concurrently. Returns the results in the ids' order, undefined if there was nothing to
 * attempt; one that cannot be read or written fails alone. Repeats and redriven messages change nothing: only the
 * worker that claims a delivery attempts it, and a delivered one cannot be claimed.
 */
export const deliverAll = async (
  ports: WebhookPorts,
  ids: readonly Id<'delivery'>[],
  onRecovery: OnRecovery = (subscription) => triggerDrain(ports, subscription),
): Promise<readonly PromiseSettledResult<AttemptOutcome | undefined>[]> => {
  const wanted = [...new Set(ids)];
  const found = await ports.deliveries.readDue(wanted, ports.clock());
  const read = found.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []));
  for (const { delivery, claimedUntil } of read) if (claimedUntil !== undefined) recheck(ports, delivery, claimedUntil);
  const due = read.flatMap(({ delivery, claimedUntil }) => (claimedUntil === undefined ? [delivery] : []));
  // A failed read fails only the due deliveries: those that are done or claimed by another worker need no events or subscriptions.
  const [needs] = await Promise.allSettled([needsOf(ports, due)]);
  const work = async (at: number): Promise<AttemptOutcome | undefined> => {
    const { delivery, claimedUntil } = unwrap(found[at]) ?? {};
    if (!delivery || claimedUntil !== undefined) return undefined;
    const of = unwrap(needs);
    if (!of) return undefined;
    return attemptDue(ports, delivery, of.view(delivery), of.event(delivery), onRecovery);
  };
  const outcomes = await Promise.allSettled(wanted.map((_, at) => work(at)));
  const byId = new Map(wanted.map((id, at) => [id, outcomes[at]]));
  return ids.map((id) => byId.get(id) ?? { status: 'rejected', reason: new RangeError('no outcome') });
};

import type { Id } from '../core/ids.ts';
import type { DomainEvent } from '../events/event.ts';
import { ATTEMPT_MS, attempt } from './attempt.ts';
import { backlogWaitMs, triggerDrain } from './backlog.ts';
import { acquire, isThrottled, type ReleaseSlot } from './endpoint-limiter.ts';
import type { View } from './health.ts';
import type { WebhookPorts } from './ports.ts';
import { RETRY_FOR_MS } from './schedule.ts';
import type { Delivery, Subscription } from './subscription.ts';

/** How long a claim holds: an attempt, and the time to record it, in ms. */
const CLAIM_MS = ATTEMPT_MS + 10_000;
/** How long a delivery waits when an endpoint that answers has no free slot, in ms, spread evenly around it. */
const FULL_WAIT_MS = 2_000;

/** What became of a delivery that was due: `waits` for a slot of its endpoint, or `ended` without an attempt. */
export type Tried = 'delivered' | 'failed' | 'waits' | 'ended';
/** Called when an endpoint that failed answers again, or is gone. */
type OnRecovery = (subscription: Subscription) => Promise<void>;

interface Trial {
  readonly ports: WebhookPorts;
  readonly view: View;
  readonly delivery: Delivery;
  readonly event: DomainEvent;
  readonly onRecovery: OnRecovery;
}

const claim = (ports: WebhookPorts, delivery: Delivery): Promise<boolean> => {
  const now = ports.clock();
  return ports.deliveries.claim(delivery, now, now + CLAIM_MS);
};

const abandon = async (ports: WebhookPorts, delivery: Delivery, error: string): Promise<Tried | undefined> => {
  if (!(await claim(ports, delivery))) return undefined;
  await ports.deliveries.record(delivery, {
    attempt: { at: ports.clock(), durationMs: 0, error },
    status: 'abandoned',
  });
  return 'ended';
};

const tryNow = async (trial: Trial, release: ReleaseSlot): Promise<Tried | undefined> => {
  const { ports, view, delivery, event, onRecovery } = trial;
  const attempted = await attempt(ports, view, delivery, event, release);
  if (attempted?.recovered) await onRecovery(view.subscription);
  return attempted && (attempted.delivered ? 'delivered' : 'failed');
};

/** Puts a delivery that nobody claimed into its endpoint's backlog. */
const park = async ({ ports, view: { subscription }, delivery }: Trial): Promise<Tried> => {
  if (delivery.parked) return 'waits';
  const now = ports.clock();
  const wait = backlogWaitMs(ports, subscription);
  await ports.backlog.park(delivery, now, now + wait);
  if (subscription.drainAt === undefined) ports.enqueueDrain(subscription, wait / 1000);
  return 'waits';
};

/** To an endpoint that fails or hangs: acquires a slot before it claims the delivery, since most deliveries find none free. */
const attemptThrottled = async (trial: Trial): Promise<Tried | undefined> => {
  const { ports, view, delivery } = trial;
  const now = ports.clock();
  const since = delivery.firstAt ?? delivery.nextAttemptAt ?? now;
  if (delivery.parked && since + RETRY_FOR_MS < now)
    return abandon(ports, delivery, 'its endpoint took nothing for 24 hours');
  const release = await acquire(view.subscription, 'at_once');
  if (!release) return park(trial);
  let claimed = false;
  try {
    claimed = await claim(ports, delivery);
  } finally {
    if (!claimed) release(false);
  }
  return claimed ? tryNow(trial, release) : undefined;
};

/** To an endpoint that answers: claims the delivery before it acquires a slot, so that no slot waits for the table. */
const attemptHealthy = async (trial: Trial): Promise<Tried | undefined> => {
  const { ports, view, delivery } = trial;
  if (!(await claim(ports, delivery))) return undefined;
  const release = await acquire(view.subscription, 'patient');
  if (release) return tryNow(trial, release);
  const wait = Math.round(FULL_WAIT_MS * (0.5 + ports.random()));
  await ports.deliveries.postpone(delivery, ports.clock() + wait);
  ports.enqueue([delivery.id], wait / 1000);
  return 'waits';
};

const attemptDue = async (
  ports: WebhookPorts,
  delivery: Delivery,
  view: View | undefined,
  event: DomainEvent | undefined,
  onRecovery: OnRecovery,
): Promise<Tried | undefined> => {
  if (!view || !event || view.subscription.status === 'revoked')
    return abandon(ports, delivery, 'the subscription is revoked, or its event is gone');
  const trial = { ports, view, delivery, event, onRecovery };
  if (view.subscription.status === 'paused' && delivery.sequence !== undefined) return park(trial);
  return isThrottled(view.subscription, ports.clock()) ? attemptThrottled(trial) : attemptHealthy(trial);
};

const unwrap = <T>(outcome: PromiseSettledResult<T> | undefined): T | undefined => {
  if (outcome?.status === 'rejected') throw outcome.reason;
  return outcome?.value;
};

/** The events and the subscriptions of a batch of deliveries: one call each, and each row once. */
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
 * Attempts deliveries that are due, together. What became of each, in the ids' order, undefined where there was nothing to attempt; one
 * that cannot be read or written fails alone. Repeats and redriven messages change nothing: a delivery is attempted by the worker that
 * claims it, and a delivered one cannot be claimed.
 */
export const deliverAll = async (
  ports: WebhookPorts,
  ids: readonly Id<'delivery'>[],
  onRecovery: OnRecovery = (subscription) => triggerDrain(ports, subscription),
): Promise<readonly PromiseSettledResult<Tried | undefined>[]> => {
  const wanted = [...new Set(ids)];
  const found = await ports.deliveries.readDue(wanted, ports.clock());
  const due = found.flatMap((read) => (read.status === 'fulfilled' && read.value ? [read.value] : []));
  // A failed read fails only the deliveries that are due: those that are done, or another worker's, need nothing.
  const [needs] = await Promise.allSettled([needsOf(ports, due)]);
  const work = async (at: number): Promise<Tried | undefined> => {
    const delivery = unwrap(found[at]);
    const read = delivery && unwrap(needs);
    return delivery && read
      ? attemptDue(ports, delivery, read.view(delivery), read.event(delivery), onRecovery)
      : undefined;
  };
  const outcomes = await Promise.allSettled(wanted.map((_, at) => work(at)));
  const byId = new Map(wanted.map((id, at) => [id, outcomes[at]]));
  return ids.map((id) => byId.get(id) ?? { status: 'rejected', reason: new RangeError('no outcome') });
};

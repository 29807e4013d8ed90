import type { DomainEvent } from '../events/event.ts';
import { asSeenBy, attemptHeaders, bodyOf } from './envelope.ts';
import type { Attempt, AttemptResult, Health, PostOutcome, WebhookPorts } from './ports.ts';
import { FAILING_AFTER, nextAttemptAt } from './schedule.ts';
import type { Delivery, Subscription } from './subscription.ts';

/** For one attempt in all, the answer's body included, in ms (decisions, part 5). */
const ATTEMPT_MS = 15_000;
/** How long a claim holds: an attempt, and the time to write it down, in ms. */
const CLAIM_MS = ATTEMPT_MS + 10_000;
/** A paused subscription's work is looked at again after this, in ms; resuming looks at once. */
const PAUSED_MS = 300_000;
/** Attempts under way to one endpoint in this process: a hung endpoint holds no more, and others pass it. */
const AT_ONCE = 4;
/** An endpoint whose last attempts failed gets one at a time. */
const AT_ONCE_FAILING = 1;
/** When work of a full endpoint is looked at again, in ms. */
const FULL_MS = 2_000;
/** Last success and failure are noted at most this often while nothing else changes, in ms. */
const NOTE_EVERY_MS = 60_000;

const GONE = 410;
const HONOURED = new Set([429, 503]);

/** Whole seconds or an HTTP date (RFC 9110, 10.2.3); undefined when it is neither. */
const retryAfter = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1000);
};

const succeeded = (outcome: PostOutcome) =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;

const attemptOf = (at: number, headers: Record<string, string>, body: string, outcome: PostOutcome): Attempt => ({
  at,
  durationMs: outcome.durationMs,
  requestHeaders: headers,
  requestBody: body,
  ...(outcome.kind === 'answered'
    ? { status: outcome.status, responseHeaders: outcome.headers, responseBody: outcome.body }
    : { error: `${outcome.error}: ${outcome.detail}` }),
});

const resultOf = (
  ports: WebhookPorts,
  subscription: Subscription,
  delivery: Delivery,
  attempt: Attempt,
  outcome: PostOutcome,
): AttemptResult => {
  if (succeeded(outcome)) return { attempt, status: 'delivered' };
  const now = ports.clock();
  const gone = outcome.kind === 'answered' && outcome.status === GONE;
  const asked =
    outcome.kind === 'answered' && HONOURED.has(outcome.status)
      ? retryAfter(outcome.headers['retry-after'], now)
      : undefined;
  const next = gone
    ? undefined
    : nextAttemptAt({
        attempts: delivery.attempts + 1,
        firstAt: delivery.firstAt ?? attempt.at,
        now,
        retry: subscription.retry,
        retryAfterSeconds: asked,
        random: ports.random(),
      });
  return next === undefined ? { attempt, status: 'abandoned' } : { attempt, status: 'failed', nextAttemptAt: next };
};

/** What an attempt changes of its subscription: five failed events in a row make it `failing`, a success `active`, a 410 `revoked`. */
const healthOf = (
  subscription: Subscription,
  delivery: Delivery,
  outcome: PostOutcome,
  now: number,
): Health | undefined => {
  if (succeeded(outcome)) {
    const stale = now - (subscription.lastSuccessAt ?? 0) >= NOTE_EVERY_MS;
    const ailing = subscription.consecutiveFailures > 0 || subscription.status === 'failing';
    if (!stale && !ailing) return undefined;
    return {
      lastSuccessAt: now,
      consecutiveFailures: 0,
      ...(subscription.status === 'failing' ? { status: 'active' } : {}),
    };
  }
  if (outcome.kind === 'answered' && outcome.status === GONE) return { status: 'revoked', lastFailureAt: now };
  // An event counts once, at its first attempt: its retries are the same failure.
  const failures = subscription.consecutiveFailures + (delivery.attempts === 0 ? 1 : 0);
  const failing = failures >= FAILING_AFTER && subscription.status === 'active';
  const stale = now - (subscription.lastFailureAt ?? 0) >= NOTE_EVERY_MS;
  if (failures === subscription.consecutiveFailures && !failing && !stale) return undefined;
  return { lastFailureAt: now, consecutiveFailures: failures, ...(failing ? { status: 'failing' } : {}) };
};

const underWay = new Map<string, number>();
/** Takes a place at the endpoint; the way to give it back, or undefined when it is full. */
const enter = (subscription: Subscription): (() => void) | undefined => {
  const now = underWay.get(subscription.id) ?? 0;
  const most = subscription.consecutiveFailures > 0 ? AT_ONCE_FAILING : AT_ONCE;
  if (now >= most) return undefined;
  underWay.set(subscription.id, now + 1);
  return () => {
    const left = (underWay.get(subscription.id) ?? 1) - 1;
    if (left > 0) underWay.set(subscription.id, left);
    else underWay.delete(subscription.id);
  };
};

const attemptIt = async (
  ports: WebhookPorts,
  subscription: Subscription,
  delivery: Delivery,
  event: DomainEvent,
): Promise<void> => {
  const at = ports.clock();
  const body = bodyOf(await asSeenBy(ports, subscription, event), delivery);
  const headers = await attemptHeaders(ports, subscription, event.id, at, body);
  const outcome = await ports.post({ url: subscription.url, headers, body, timeoutMs: ATTEMPT_MS });
  const kept = await ports.sealBody(delivery.organizationId, delivery.id, body);
  const result = resultOf(ports, subscription, delivery, attemptOf(at, headers, kept, outcome), outcome);
  if (!(await ports.deliveries.record(delivery, result))) return;
  const health = healthOf(subscription, delivery, outcome, ports.clock());
  if (health) await ports.subscriptions.noteHealth(subscription.organizationId, subscription.id, health);
  if (result.nextAttemptAt !== undefined)
    ports.hint([delivery.id], Math.max(0, (result.nextAttemptAt - ports.clock()) / 1000));
  const place = { organizationId: subscription.organizationId, webhookId: subscription.id, deliveryId: delivery.id };
  ports.observe.attempted(result.status, outcome.durationMs, place);
};

/**
 * Tries one due delivery. Repeats and redriven messages change nothing: only who claims a delivery tries it, and what was
 * delivered is claimed by nobody.
 */
export const deliver = async (ports: WebhookPorts, deliveryId: string): Promise<void> => {
  const now = ports.clock();
  const delivery = await ports.deliveries.claim(deliveryId, now, now + CLAIM_MS);
  if (!delivery) return;
  const subscription = await ports.subscriptions.read(delivery.organizationId, delivery.webhookId);
  const event = await ports.events.read(delivery.eventId);
  if (!subscription || !event || subscription.status === 'revoked') return void (await abandon(ports, delivery));
  if (subscription.status === 'paused' && delivery.sequence !== undefined)
    return ports.deliveries.postpone(delivery, now + PAUSED_MS);
  const leave = enter(subscription);
  if (!leave) {
    const again = now + FULL_MS * (0.5 + ports.random());
    await ports.deliveries.postpone(delivery, again);
    return ports.hint([delivery.id], (again - now) / 1000);
  }
  try {
    await attemptIt(ports, subscription, delivery, event);
  } finally {
    leave();
  }
};

const abandon = (ports: WebhookPorts, delivery: Delivery): Promise<boolean> =>
  ports.deliveries.record(delivery, {
    attempt: {
      at: ports.clock(),
      durationMs: 0,
      requestHeaders: {},
      requestBody: '',
      error: 'the subscription is revoked, or its event is gone',
    },
    status: 'abandoned',
  });

/** Gives a committed event to every subscription that takes it. Repeats change nothing. */
export const fanOut = async (ports: WebhookPorts, event: DomainEvent): Promise<number> => {
  const subscriptions = await ports.subscriptions.list(event.organizationId);
  const takers = subscriptions.filter(
    ({ status, events, createdAt }) =>
      status !== 'revoked' && events.includes(event.type) && createdAt <= event.createdAt,
  );
  const made = await Promise.all(
    takers.map((subscription) => ports.deliveries.fanOut(subscription, event, ports.clock())),
  );
  const due = made.filter((delivery) => delivery !== undefined);
  ports.hint(due.map(({ id }) => id));
  return due.length;
};

import type { DomainEvent } from '../events/event.ts';
import { handBacklog } from './backlog.ts';
import { asSeenBy, attemptHeaders, bodyOf } from './envelope.ts';
import { enter, HINTED_WAIT_MS, isHeld, type Leave, laneWaitMs } from './places.ts';
import type {
  AttemptResult,
  AttemptSummary,
  Exchange,
  Health,
  KeptAttempt,
  PostOutcome,
  WebhookPorts,
} from './ports.ts';
import { FAILING_AFTER, nextAttemptAt } from './schedule.ts';
import type { Delivery, Subscription } from './subscription.ts';

/** For one attempt in all, the answer's body included, in ms (decisions, part 5). */
const ATTEMPT_MS = 15_000;
/** How long a claim holds: an attempt, and the time to write it down, in ms. */
const CLAIM_MS = ATTEMPT_MS + 10_000;
/** A paused subscription's work is looked at again after this, in ms; resuming looks at once. */
const PAUSED_MS = 300_000;
/** When work of a full endpoint is looked at again, in ms. */
const FULL_MS = 2_000;
/** The longest such wait at an endpoint whose last attempts failed: the longer its work waits, the more rarely it is looked at. */
const FULL_LONGEST_MS = 600_000;
/** Deliveries that the first success of an endpoint wakes. */
const WOKEN = 100;
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

const summaryOf = (at: number, outcome: PostOutcome): AttemptSummary => ({
  at,
  durationMs: outcome.durationMs,
  ...(outcome.kind === 'answered' ? { status: outcome.status } : { error: `${outcome.error}: ${outcome.detail}` }),
});

const exchangeOf = (requestHeaders: Record<string, string>, requestBody: string, outcome: PostOutcome): Exchange => ({
  requestHeaders,
  requestBody,
  ...(outcome.kind === 'answered' ? { responseHeaders: outcome.headers, responseBody: outcome.body } : {}),
});

const resultOf = (
  ports: WebhookPorts,
  subscription: Subscription,
  delivery: Delivery,
  attempt: KeptAttempt,
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

/** Whether so many events failed in a row that the subscription should say so, and does not yet. */
const isFailing = ({ consecutiveFailures, status }: Subscription): boolean =>
  consecutiveFailures >= FAILING_AFTER && status === 'active';

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
      failures: 'none',
      ...(subscription.status === 'failing' ? { status: 'active' } : {}),
    };
  }
  if (outcome.kind === 'answered' && outcome.status === GONE)
    return { status: 'revoked', lastFailureAt: now, revokedAt: now };
  // An event counts once, at its first attempt: its retries are the same failure.
  const another = delivery.attempts === 0;
  const stale = now - (subscription.lastFailureAt ?? 0) >= NOTE_EVERY_MS;
  if (!another && !stale && !isFailing(subscription)) return undefined;
  return { lastFailureAt: now, ...(another ? { failures: 'another' } : {}) };
};

/** A subscription as a batch knows it: read once, and kept up to date with what the batch's own attempts find out. */
interface View {
  subscription: Subscription;
  /** Ends when what was found out so far is written down, one after another. */
  noted: Promise<void>;
}

const noteHealth = async (ports: WebhookPorts, view: View, delivery: Delivery, outcome: PostOutcome): Promise<void> => {
  const { organizationId, id } = view.subscription;
  const health = healthOf(view.subscription, delivery, outcome, ports.clock());
  if (!health) return;
  const recovered = view.subscription.consecutiveFailures > 0 && health.failures === 'none';
  const note = async () => {
    const write = (change: Health) => ports.subscriptions.noteHealth(organizationId, id, change);
    const standing = await write(health);
    const told = standing && isFailing(standing) ? await write({ status: 'failing' }) : undefined;
    view.subscription = told ?? standing ?? view.subscription;
  };
  view.noted = view.noted.then(note, note);
  await view.noted;
  // The endpoint answers again: what was put off for its sake is looked at now.
  if (recovered) await handBacklog(ports, id, ['pending'], WOKEN);
};

/** Posts a delivery; the place at its endpoint is given back as soon as the endpoint has answered. */
const post = async (
  ports: WebhookPorts,
  subscription: Subscription,
  delivery: Delivery,
  event: DomainEvent,
  leave: Leave,
) => {
  let answered = false;
  try {
    const at = ports.clock();
    const body = bodyOf(await asSeenBy(ports, subscription, event), delivery);
    const headers = await attemptHeaders(ports, subscription, event.id, at, body);
    const outcome = await ports.post({ url: subscription.url, headers, body, timeoutMs: ATTEMPT_MS });
    answered = outcome.kind === 'answered';
    return { at, body, headers, outcome };
  } finally {
    leave(answered);
  }
};

const attemptIt = async (
  ports: WebhookPorts,
  view: View,
  delivery: Delivery,
  event: DomainEvent,
  leave: Leave,
): Promise<void> => {
  const { subscription } = view;
  const { at, body, headers, outcome } = await post(ports, subscription, delivery, event, leave);
  const { organizationId, id } = delivery;
  const exchange = await ports.sealExchange(organizationId, id, exchangeOf(headers, body, outcome));
  const result = resultOf(ports, subscription, delivery, { ...summaryOf(at, outcome), exchange }, outcome);
  if (!(await ports.deliveries.record(delivery, result))) return;
  await noteHealth(ports, view, delivery, outcome);
  if (result.nextAttemptAt !== undefined)
    ports.hint([delivery.id], Math.max(0, (result.nextAttemptAt - ports.clock()) / 1000));
  const place = { organizationId: subscription.organizationId, webhookId: subscription.id, deliveryId: delivery.id };
  ports.observe.attempted(result.status, outcome.durationMs, place);
};

/** When work of a full endpoint is looked at again, in ms. */
const laterAt = (ports: WebhookPorts, subscription: Subscription, delivery: Delivery): number => {
  const now = ports.clock();
  const waited = Math.min(now - delivery.createdAt, FULL_LONGEST_MS);
  const wait = isHeld(subscription) ? Math.max(FULL_MS, laneWaitMs(subscription), waited) : FULL_MS;
  return now + Math.round(wait * (0.5 + ports.random()));
};

const hintAt = (ports: WebhookPorts, { id }: Delivery, at: number): void => {
  const wait = Math.max(0, at - ports.clock());
  if (wait < HINTED_WAIT_MS) ports.hint([id], wait / 1000);
};

const claim = (ports: WebhookPorts, delivery: Delivery): Promise<boolean> => {
  const now = ports.clock();
  return ports.deliveries.claim(delivery, now, now + CLAIM_MS);
};

/** To an endpoint that fails: work that finds no place there is put off before it is claimed, since most of it finds none. */
const tryHeld = async (ports: WebhookPorts, view: View, delivery: Delivery, event: DomainEvent): Promise<void> => {
  const leave = await enter(view.subscription);
  if (!leave) {
    const at = laterAt(ports, view.subscription, delivery);
    await ports.deliveries.defer(delivery, ports.clock(), at);
    return hintAt(ports, delivery, at);
  }
  let claimed = false;
  try {
    claimed = await claim(ports, delivery);
  } finally {
    if (!claimed) leave(false);
  }
  if (claimed) await attemptIt(ports, view, delivery, event, leave);
};

/** To an endpoint that answers: its places are for attempts alone, so that the table's time takes none of them. */
const tryWell = async (ports: WebhookPorts, view: View, delivery: Delivery, event: DomainEvent): Promise<void> => {
  if (!(await claim(ports, delivery))) return;
  const leave = await enter(view.subscription);
  if (leave) return attemptIt(ports, view, delivery, event, leave);
  const at = laterAt(ports, view.subscription, delivery);
  await ports.deliveries.postpone(delivery, at);
  hintAt(ports, delivery, at);
};

const deliver = async (
  ports: WebhookPorts,
  delivery: Delivery,
  view: View | undefined,
  event: DomainEvent | undefined,
): Promise<void> => {
  if (!view || !event || view.subscription.status === 'revoked') return abandon(ports, delivery);
  if (view.subscription.status === 'paused' && delivery.sequence !== undefined) {
    const now = ports.clock();
    return ports.deliveries.defer(delivery, now, now + PAUSED_MS);
  }
  const attempt = isHeld(view.subscription) ? tryHeld : tryWell;
  return attempt(ports, view, delivery, event);
};

const abandon = async (ports: WebhookPorts, delivery: Delivery): Promise<void> => {
  if (!(await claim(ports, delivery))) return;
  const error = 'the subscription is revoked, or its event is gone';
  await ports.deliveries.record(delivery, {
    attempt: { at: ports.clock(), durationMs: 0, error },
    status: 'abandoned',
  });
};

const unwrap = <T>(outcome: PromiseSettledResult<T> | undefined): T | undefined => {
  if (outcome?.status === 'rejected') throw outcome.reason;
  return outcome?.value;
};

/** What the deliveries of a batch need, read together: their events in one call, and their subscriptions in another, each once. */
const needsOf = async (ports: WebhookPorts, deliveries: readonly Delivery[]) => {
  const eventIds = [...new Set(deliveries.map(({ eventId }) => eventId))];
  const owners = [...new Map(deliveries.map((delivery) => [delivery.webhookId, delivery])).values()];
  const [events, subscriptions] =
    deliveries.length === 0
      ? [[], []]
      : await Promise.all([ports.events.readAll(eventIds), ports.subscriptions.readAll(owners)]);
  const views = new Map<string, PromiseSettledResult<View | undefined>>();
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
 * Tries deliveries that are due, together. How each went, in the ids' order: one that cannot be read or written fails alone.
 * Repeats and redriven messages change nothing: only who claims a delivery tries it, and what was delivered is claimed by nobody.
 */
export const deliverAll = async (
  ports: WebhookPorts,
  ids: readonly string[],
): Promise<readonly PromiseSettledResult<void>[]> => {
  const wanted = [...new Set(ids)];
  const found = await ports.deliveries.readDue(wanted, ports.clock());
  const due = found.flatMap((read) => (read.status === 'fulfilled' && read.value ? [read.value] : []));
  // What cannot be read fails the due alone: those that are done, or another's, are through.
  const [needs] = await Promise.allSettled([needsOf(ports, due)]);
  const work = async (at: number): Promise<void> => {
    const delivery = unwrap(found[at]);
    const read = delivery && unwrap(needs);
    if (delivery && read) await deliver(ports, delivery, read.view(delivery), read.event(delivery));
  };
  const outcomes = await Promise.allSettled(wanted.map((_, at) => work(at)));
  const byId = new Map(wanted.map((id, at) => [id, outcomes[at]]));
  return ids.map((id) => byId.get(id) ?? { status: 'rejected', reason: new RangeError('no outcome') });
};

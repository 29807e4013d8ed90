import type { DomainEvent } from '../events/event.ts';
import { type ReleaseSlot, SLOW_MS } from './endpoint-limiter.ts';
import { asSeenBy, attemptHeaders, bodyOf } from './envelope.ts';
import { hideHeaderValues } from './header-values.ts';
import { isGone, noteHealth, succeeded, type View } from './health.ts';
import type {
  AttemptResult,
  AttemptSummary,
  ClaimedDelivery,
  Exchange,
  KeptAttempt,
  PostOutcome,
  WebhookPorts,
} from './ports.ts';
import { ATTEMPT_MS, nextAttemptAt } from './schedule.ts';
import type { Delivery, Subscription } from './subscription.ts';

const HONOURED = new Set([429, 503]);

/** Whole seconds or an HTTP date (RFC 9110, 10.2.3); undefined when it is neither. */
const retryAfter = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1000);
};

const summaryOf = (at: number, outcome: PostOutcome): AttemptSummary => ({
  at,
  durationMs: outcome.durationMs,
  ...(outcome.kind === 'answered' ? { status: outcome.status } : { error: `${outcome.error}: ${outcome.detail}` }),
});

const exchangeOf = (requestHeaders: Record<string, string>, requestBody: string, outcome: PostOutcome): Exchange =>
  hideHeaderValues({
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
  const gone = isGone(outcome);
  const retryAfterSeconds =
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
        retryAfterSeconds,
        random: ports.random(),
      });
  return next === undefined ? { attempt, status: 'abandoned' } : { attempt, status: 'failed', nextAttemptAt: next };
};

/** Posts a delivery; releases its slot as soon as the endpoint responded. */
const post = async (
  ports: WebhookPorts,
  subscription: Subscription,
  delivery: Delivery,
  event: DomainEvent,
  release: ReleaseSlot,
) => {
  let answered = false;
  let noted: Promise<unknown> = Promise.resolve();
  try {
    const at = ports.clock();
    const body = bodyOf(await asSeenBy(ports, subscription, event), delivery);
    const headers = await attemptHeaders(ports, subscription, event.id, at, body);
    // Other processes should throttle the endpoint too; if this write is lost, they detect it themselves.
    const call = () => {
      const { organizationId, id } = subscription;
      noted = ports.subscriptions.noteSlow(organizationId, id, at + ATTEMPT_MS).catch(() => undefined);
    };
    const slow = { afterMs: SLOW_MS, call };
    const outcome = await ports.post({ url: subscription.url, headers, body, timeoutMs: ATTEMPT_MS, slow });
    await noted;
    answered = outcome.kind === 'answered';
    return { at, body, headers, outcome };
  } finally {
    release(answered);
  }
};

/** The result of an attempt. `recovered`: its endpoint failed before and responds again, or returned 410. */
export interface Attempted {
  readonly delivered: boolean;
  readonly recovered: boolean;
}

/** Attempts a claimed delivery once, and records the result. Undefined when another worker claimed it meanwhile. */
export const attempt = async (
  ports: WebhookPorts,
  view: View,
  delivery: ClaimedDelivery,
  event: DomainEvent,
  release: ReleaseSlot,
): Promise<Attempted | undefined> => {
  const { subscription } = view;
  const { at, body, headers, outcome } = await post(ports, subscription, delivery, event, release);
  const { organizationId, id } = delivery;
  const exchange = await ports.sealExchange(organizationId, id, exchangeOf(headers, body, outcome));
  const result = resultOf(ports, subscription, delivery, { ...summaryOf(at, outcome), exchange }, outcome);
  if (!(await ports.deliveries.record(delivery, result))) return undefined;
  const recovered = await noteHealth(ports, view, delivery, outcome);
  if (result.nextAttemptAt !== undefined)
    ports.enqueue([delivery], Math.max(0, (result.nextAttemptAt - ports.clock()) / 1000));
  const place = { organizationId: subscription.organizationId, webhookId: subscription.id, deliveryId: delivery.id };
  ports.observe.attempted(result.status, outcome.durationMs, place);
  return { delivered: result.status === 'delivered', recovered };
};

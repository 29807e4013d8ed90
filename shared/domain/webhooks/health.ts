import type { Health, PostOutcome, WebhookPorts } from './ports.ts';
import { FAILING_AFTER } from './schedule.ts';
import type { Delivery, Subscription } from './subscription.ts';

/** Unless something else changes, last success and failure are recorded at most this often, in ms. */
const RECORD_EVERY_MS = 60_000;
const GONE = 410;

/** Any 2xx (docs/spec/webhooks.md#success-and-failure). */
export const succeeded = (outcome: PostOutcome): boolean =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;

/** Whether the endpoint answered 410 Gone. */
export const isGone = (outcome: PostOutcome): boolean => outcome.kind === 'answered' && outcome.status === GONE;

/** Whether enough events failed in a row for the status `failing`, which the subscription does not have yet. */
const isFailing = ({ consecutiveFailures, status }: Subscription): boolean =>
  consecutiveFailures >= FAILING_AFTER && status === 'active';

/**
 * The effect of an attempt on its subscription: five failed events in a row make it `failing`, a success `active`, a
 * 410 `revoked`.
 */
const healthOf = (
  subscription: Subscription,
  delivery: Delivery,
  outcome: PostOutcome,
  now: number,
): Health | undefined => {
  if (succeeded(outcome)) {
    const stale = now - (subscription.lastSuccessAt ?? 0) >= RECORD_EVERY_MS;
    const isUnhealthy = subscription.consecutiveFailures > 0 || subscription.status === 'failing';
    if (!stale && !isUnhealthy) return undefined;
    return {
      lastSuccessAt: now,
      failures: 'none',
      ...(subscription.status === 'failing' ? { status: 'active' } : {}),
    };
  }
  if (isGone(outcome)) return { status: 'revoked', lastFailureAt: now, revokedAt: now };
  // An event counts once, at its first attempt; its retries count as the same failure.
  const another = delivery.attempts === 0;
  const stale = now - (subscription.lastFailureAt ?? 0) >= RECORD_EVERY_MS;
  if (!another && !stale && !isFailing(subscription)) return undefined;
  return { lastFailureAt: now, ...(another ? { failures: 'another' } : {}) };
};

/** A subscription during one batch: read once, then updated by the results of the batch's own attempts. */
export interface View {
  subscription: Subscription;
  /** Resolves when the results of the attempts so far are recorded, one after another. */
  noted: Promise<void>;
}

/**
 * Records the effect of an attempt on its subscription's health. True if the endpoint failed before and responds again,
 * or answered 410: its backlog should then be drained.
 */
export const noteHealth = async (
  ports: WebhookPorts,
  view: View,
  delivery: Delivery,
  outcome: PostOutcome,
): Promise<boolean> => {
  const { organizationId, id } = view.subscription;
  const health = healthOf(view.subscription, delivery, outcome, ports.clock());
  if (!health) return false;
  const recovered = view.subscription.consecutiveFailures > 0 && health.failures === 'none';
  const note = async () => {
    const write = (change: Health) => ports.subscriptions.noteHealth(organizationId, id, change);
    const recorded = await write(health);
    const failing = recorded && isFailing(recorded) ? await write({ status: 'failing' }) : undefined;
    view.subscription = failing ?? recorded ?? view.subscription;
  };
  view.noted = view.noted.then(note, note);
  await view.noted;
  return recovered || health.status === 'revoked';
};

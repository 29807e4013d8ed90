import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { isSlow } from './endpoint-limiter.ts';
import type { WebhookPorts } from './ports.ts';
import { JITTER } from './schedule.ts';
import type { Delivery, Subscription } from './subscription.ts';

/** How long a paused endpoint's backlog waits for its next drain, in ms; resuming it triggers a drain immediately. */
const PAUSED_MS = 3_600_000;
/** How long a failing endpoint's backlog waits, in ms: doubled after each failed event, at most a tenth of its outage. */
const FIRST_WAIT_MS = 2_000;
const SHARE_OF_OUTAGE = 0.1;
const OUTAGE_WAIT_MS = { min: 15_000, max: 300_000 } as const;
/** How long a delivery waits when no slot is free, in ms, with jitter around it, unless its endpoint fails. */
const FULL_WAIT_MS = 2_000;
/** Deliveries that a resume or a replay enqueues; the others are found through the due index. */
export const MAX_ENQUEUED = 1_000;
/** Concurrent writes of one call. */
export const CONCURRENT_WRITES = 25;
/** Deliveries searched for failed ones: an unstable endpoint must not cost a read of all its deliveries. */
const MAX_SEARCHED = 5_000;

/** Whether an endpoint's new events join its backlog without an attempt: failing or hanging attempts would delay healthy endpoints. */
export const joinsBacklog = (subscription: Subscription, now: number): boolean =>
  subscription.status === 'paused' || subscription.status === 'failing' || isSlow(subscription, now);

/** How long an endpoint's backlog waits for its next drain, in ms, with jitter around it. */
export const backlogWaitMs = (ports: Pick<WebhookPorts, 'clock' | 'random'>, subscription: Subscription): number => {
  const { status, consecutiveFailures, lastSuccessAt, createdAt } = subscription;
  if (status === 'paused') return PAUSED_MS;
  const doubled = FIRST_WAIT_MS * 2 ** Math.min(Math.max(0, consecutiveFailures - 1), 30);
  const outage = (ports.clock() - (lastSuccessAt ?? createdAt)) * SHARE_OF_OUTAGE;
  const wait = Math.min(doubled, Math.max(OUTAGE_WAIT_MS.min, Math.min(outage, OUTAGE_WAIT_MS.max)));
  return Math.round(wait * (1 - JITTER + 2 * JITTER * ports.random()));
};

/** How long a delivery waits when a healthy endpoint has no free slot, or others hold a failing one's, in ms. */
export const fullWaitMs = ({ random }: Pick<WebhookPorts, 'random'>): number =>
  Math.round(FULL_WAIT_MS * (0.5 + random()));

/**
 * Drains an endpoint's backlog immediately: when the endpoint recovered, or was resumed, changed its URL or was
 * revoked. Does nothing if the backlog is empty.
 */
export const triggerDrain = async (
  ports: Pick<WebhookPorts, 'clock' | 'backlog' | 'enqueueDrain'>,
  subscription: Subscription,
): Promise<void> => {
  if (await ports.backlog.triggerDrain(subscription, ports.clock())) ports.enqueueDrain(subscription);
};

/** Deliveries in the order of their events; those created together have the same time. */
export const inOrder = <D extends Delivery>(deliveries: readonly D[]): D[] =>
  deliveries.toSorted((a, b) => a.createdAt - b.createdAt || (a.sequence ?? 0) - (b.sequence ?? 0));

/**
 * Retries the newest failed deliveries of a subscription immediately, regardless of their due time, in the order of
 * their events.
 */
export const retryFailed = async (
  ports: Pick<WebhookPorts, 'clock' | 'deliveries' | 'enqueue'>,
  webhookId: Id<'webhook'>,
): Promise<void> => {
  const failed = inOrder(await ports.deliveries.newest(webhookId, { status: 'failed' }, MAX_ENQUEUED, MAX_SEARCHED));
  const now = ports.clock();
  await mapConcurrently(failed, CONCURRENT_WRITES, (delivery) => ports.deliveries.advance(delivery, now));
  ports.enqueue(failed);
};

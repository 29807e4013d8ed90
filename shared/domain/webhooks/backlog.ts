import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { isSlow } from './endpoint-limiter.ts';
import type { WebhookPorts } from './ports.ts';
import { JITTER } from './schedule.ts';
import type { Delivery, Subscription } from './subscription.ts';

/** How long a paused endpoint's backlog waits for its next drain, in ms; resuming drains it at once. */
const PAUSED_MS = 3_600_000;
/** How long a failing endpoint's backlog waits, in ms: twice as long after each failed event, a tenth of its outage at most. */
const FIRST_WAIT_MS = 2_000;
const SHARE_OF_OUTAGE = 0.1;
const OUTAGE_WAIT_MS = { min: 15_000, max: 300_000 } as const;
/** Deliveries that a resume or a replay enqueues; the rest is found by its due time. */
export const MAX_ENQUEUED = 1_000;
/** Writes that one call has under way at the same time. */
export const CONCURRENT_WRITES = 25;
/** Deliveries that are searched for failed ones: a flapping endpoint must not cost a read of all that it ever had. */
const MAX_SEARCHED = 5_000;

/** Whether an endpoint's new events join its backlog untried: attempts that fail or hang take time from endpoints that answer. */
export const joinsBacklog = (subscription: Subscription, now: number): boolean =>
  subscription.status === 'paused' || subscription.status === 'failing' || isSlow(subscription, now);

/** How long an endpoint's backlog waits for its next drain, in ms, spread evenly around it. */
export const backlogWaitMs = (ports: Pick<WebhookPorts, 'clock' | 'random'>, subscription: Subscription): number => {
  const { status, consecutiveFailures, lastSuccessAt, createdAt } = subscription;
  if (status === 'paused') return PAUSED_MS;
  const doubled = FIRST_WAIT_MS * 2 ** Math.min(Math.max(0, consecutiveFailures - 1), 30);
  const outage = (ports.clock() - (lastSuccessAt ?? createdAt)) * SHARE_OF_OUTAGE;
  const wait = Math.min(doubled, Math.max(OUTAGE_WAIT_MS.min, Math.min(outage, OUTAGE_WAIT_MS.max)));
  return Math.round(wait * (1 - JITTER + 2 * JITTER * ports.random()));
};

/** Drains an endpoint's backlog at once: when it answers again, is resumed, moved or revoked. Nothing when the backlog is empty. */
export const triggerDrain = async (
  ports: Pick<WebhookPorts, 'clock' | 'backlog' | 'enqueueDrain'>,
  subscription: Subscription,
): Promise<void> => {
  if (await ports.backlog.triggerDrain(subscription, ports.clock())) ports.enqueueDrain(subscription);
};

/** Deliveries in the order in which their events happened: those that were made together share a moment. */
export const inOrder = <D extends Delivery>(deliveries: readonly D[]): D[] =>
  deliveries.toSorted((a, b) => a.createdAt - b.createdAt || (a.sequence ?? 0) - (b.sequence ?? 0));

/** Retries the newest failed deliveries of a subscription at once, whenever they were due, in the order of their events. */
export const retryFailed = async (
  ports: Pick<WebhookPorts, 'clock' | 'deliveries' | 'enqueue'>,
  webhookId: Id<'webhook'>,
): Promise<void> => {
  const failed = inOrder(await ports.deliveries.newest(webhookId, { status: 'failed' }, MAX_ENQUEUED, MAX_SEARCHED));
  const now = ports.clock();
  await mapConcurrently(failed, CONCURRENT_WRITES, (delivery) => ports.deliveries.advance(delivery, now));
  ports.enqueue(failed.map(({ id }) => id));
};

import { atOnce } from '../bulk/at-once.ts';
import { isSlow } from './places.ts';
import type { WebhookPorts } from './ports.ts';
import { JITTER } from './schedule.ts';
import type { Delivery, Subscription } from './subscription.ts';

/** Nobody looks at a paused endpoint earlier, in ms; resuming looks at once. */
const PAUSED_MS = 3_600_000;
/** Between looks at an endpoint that fails, in ms: twice as long after each failed event, a tenth of the time since its last success at most. */
const FIRST_WAIT_MS = 2_000;
const SHARE_OF_OUTAGE = 0.1;
const OUTAGE_WAIT_MS = { least: 15_000, most: 300_000 } as const;
/** Deliveries handed to their queue at once on resume and replay; the rest is found by its due time. */
export const HANDED_AT_ONCE = 1_000;
/** Writes of one call under way at once. */
export const WRITES_AT_ONCE = 25;
/** Deliveries that are looked at for failed ones: a flapping endpoint must not cost all that it ever had. */
const LOOKED_AT = 5_000;

/** Whether an endpoint's new events join its backlog untried: what a failing or hanging endpoint is given in vain costs those that answer. */
export const joinsBacklog = (subscription: Subscription, now: number): boolean =>
  subscription.status === 'paused' || subscription.status === 'failing' || isSlow(subscription, now);

/** How long an endpoint's backlog waits before it is looked at again, in ms, spread evenly around it. */
export const backlogWaitMs = (ports: Pick<WebhookPorts, 'clock' | 'random'>, subscription: Subscription): number => {
  const { status, consecutiveFailures, lastSuccessAt, createdAt } = subscription;
  if (status === 'paused') return PAUSED_MS;
  const doubled = FIRST_WAIT_MS * 2 ** Math.min(Math.max(0, consecutiveFailures - 1), 30);
  const outage = (ports.clock() - (lastSuccessAt ?? createdAt)) * SHARE_OF_OUTAGE;
  const wait = Math.min(doubled, Math.max(OUTAGE_WAIT_MS.least, Math.min(outage, OUTAGE_WAIT_MS.most)));
  return Math.round(wait * (1 - JITTER + 2 * JITTER * ports.random()));
};

/** Looks at an endpoint's backlog at once: when it answers again, is resumed, moved or revoked. Nothing when nothing waits. */
export const wakeBacklog = async (
  ports: Pick<WebhookPorts, 'clock' | 'backlog' | 'hintBacklog'>,
  subscription: Subscription,
): Promise<void> => {
  if (await ports.backlog.wake(subscription, ports.clock())) ports.hintBacklog(subscription);
};

/** Deliveries in the order in which their events happened: those that were made together share a moment. */
export const inOrder = <D extends Delivery>(deliveries: readonly D[]): D[] =>
  deliveries.toSorted((a, b) => a.createdAt - b.createdAt || (a.sequence ?? 0) - (b.sequence ?? 0));

/** Tries the newest failed deliveries of a subscription at once, whenever they were due, in the order in which they happened. */
export const handFailed = async (
  ports: Pick<WebhookPorts, 'clock' | 'deliveries' | 'hint'>,
  webhookId: string,
): Promise<void> => {
  const found = await ports.deliveries.newest(webhookId, { status: 'failed' }, HANDED_AT_ONCE, LOOKED_AT);
  const failed = inOrder(found);
  const now = ports.clock();
  await atOnce(failed, WRITES_AT_ONCE, (delivery) => ports.deliveries.advance(delivery, now));
  ports.hint(failed.map(({ id }) => id));
};

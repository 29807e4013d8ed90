import { atOnce } from '../bulk/at-once.ts';
import type { WebhookPorts } from './ports.ts';
import type { Delivery, DeliveryStatus } from './subscription.ts';

/** Writes of one call under way at once. */
export const WRITES_AT_ONCE = 25;
/** Deliveries that are looked at for open ones: what waits is among the newest, and a flapping endpoint must not cost all that it ever had. */
const LOOKED_AT = 5_000;

/** Deliveries in the order in which their events happened: those that were made together share a moment. */
export const inOrder = <D extends Delivery>(deliveries: readonly D[]): D[] =>
  deliveries.toSorted((a, b) => a.createdAt - b.createdAt || (a.sequence ?? 0) - (b.sequence ?? 0));

/**
 * Looks at once at the newest `most` open deliveries of a subscription in each of these states, whenever they were due, in the order in
 * which they happened: when it is resumed, and when its endpoint answers again. The others are found by their due times.
 */
export const handBacklog = async (
  ports: Pick<WebhookPorts, 'clock' | 'deliveries' | 'hint'>,
  webhookId: string,
  statuses: readonly DeliveryStatus[],
  most: number,
): Promise<void> => {
  for (const status of statuses) {
    const open = inOrder(await ports.deliveries.newest(webhookId, { status }, most, LOOKED_AT));
    const now = ports.clock();
    await atOnce(open, WRITES_AT_ONCE, (delivery) => ports.deliveries.advance(delivery, now));
    ports.hint(open.map(({ id }) => id));
  }
};

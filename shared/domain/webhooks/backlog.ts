import type { WebhookPorts } from './ports.ts';
import type { DeliveryStatus } from './subscription.ts';

/**
 * Looks at once at the newest `most` open deliveries of a subscription in each of these states, whenever they were due: when it is resumed, and when its endpoint
 * answers again. The others are found by their due times.
 */
export const handBacklog = async (
  ports: Pick<WebhookPorts, 'clock' | 'deliveries' | 'hint'>,
  webhookId: string,
  statuses: readonly DeliveryStatus[],
  most: number,
): Promise<void> => {
  for (const status of statuses) {
    const { items } = await ports.deliveries.page(webhookId, { status }, { skip: 0, limit: most });
    const now = ports.clock();
    for (const delivery of items) await ports.deliveries.advance(delivery, now);
    ports.hint(items.map(({ id }) => id));
  }
};

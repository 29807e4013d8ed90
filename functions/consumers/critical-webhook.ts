import { batchConsumer } from '../../shared/runtime/consumer.ts';
import { deliverWebhooks } from '../../shared/wiring/webhooks/webhooks.ts';

/** As `webhook`, with a queue and a concurrency of its own: no other event's delivery delays those of critical messages. */
export const handler = batchConsumer('critical-webhook', deliverWebhooks);

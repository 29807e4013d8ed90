import { batchConsumer } from '../../shared/runtime/consumer.ts';
import { deliverWebhooks } from '../../shared/wiring/webhooks/webhooks.ts';

/** Like `webhook`, with its own queue and concurrency, so that deliveries of other events never delay those of critical messages. */
export const handler = batchConsumer('critical-webhook', deliverWebhooks);

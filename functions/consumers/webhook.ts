import { batchConsumer } from '../../shared/runtime/consumer.ts';
import { deliverWebhooks } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = batchConsumer('webhook', deliverWebhooks);

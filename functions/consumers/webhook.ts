import { deliverWebhooks } from '../../shared/runtime/compose/webhooks.ts';
import { batchConsumer } from '../../shared/runtime/consumer.ts';

export const handler = batchConsumer('webhook', deliverWebhooks);

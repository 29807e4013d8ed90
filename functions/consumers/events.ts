import { batchConsumer } from '../../shared/runtime/consumer.ts';
import { publishCommitted } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = batchConsumer('events', publishCommitted);

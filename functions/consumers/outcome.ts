import { batchConsumer } from '../../shared/runtime/consumer.ts';
import { processOutcomeItems } from '../../shared/wiring/messages/outcomes.ts';

export const handler = batchConsumer('outcome', processOutcomeItems);

import { outcomeWork } from '../../shared/runtime/compose/outcomes.ts';
import { batchConsumer } from '../../shared/runtime/consumer.ts';

export const handler = batchConsumer('outcome', outcomeWork);

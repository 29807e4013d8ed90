import { batchConsumer } from '../../shared/runtime/consumer.ts';
import { processCriticalItems } from '../../shared/wiring/consumers/critical.ts';

/** With a queue and a concurrency of its own: nothing else delays what is critical. */
export const handler = batchConsumer('critical', processCriticalItems);

import { batchConsumer } from '../../shared/runtime/consumer.ts';
import { processCriticalItems } from '../../shared/wiring/consumers/critical.ts';

/** With its own queue and concurrency, so that other work never delays critical work. */
export const handler = batchConsumer('critical', processCriticalItems);

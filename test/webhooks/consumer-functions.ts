/* Imported as a copy (importFresh): a function reads the environment once, at its import. */
export { handler as critical } from '../../functions/consumers/critical.ts';
export { handler as events } from '../../functions/consumers/events.ts';
export { handler as webhook } from '../../functions/consumers/webhook.ts';
export { batchConsumer } from '../../shared/runtime/consumer.ts';

import { parentPort, workerData } from 'node:worker_threads';
import { newId } from '../shared/domain/core/ids.ts';
import { newEvent } from '../shared/domain/events/event.ts';
import type { Subscription } from '../shared/domain/webhooks/subscription.ts';
import { deliveryStore } from '../shared/storage/webhooks/deliveries.ts';
import { tablesAt } from './processes.ts';

/** A consumer that shares nothing with the others but the table: a worker has its own modules, as a process has. */
interface Work {
  readonly endpoint: string;
  readonly subscription: Subscription;
  readonly batches: number;
  readonly events: number;
}
const { endpoint, subscription, batches, events: size } = workerData as Work;
const { organizationId } = subscription;
const { fanOut } = deliveryStore(tablesAt(endpoint).test);

/** Gives the subscription its batches, each again until it is given, as a queue does; the calls made, and those that were given up. */
const consume = async (): Promise<{ tries: number; failed: number }> => {
  let [tries, failed] = [0, 0];
  for (let batch = 0; batch < batches; batch++) {
    const createdAt = Date.now();
    const events = Array.from({ length: size }, () =>
      newEvent({ type: 'sms.delivered', organizationId, env: 'test', createdAt, data: { id: newId('message') } }),
    );
    for (let given = false; !given; ) {
      tries++;
      given = await fanOut(subscription, events, createdAt).then(
        () => true,
        () => false,
      );
      if (!given) failed++;
    }
  }
  return { tries, failed };
};

parentPort?.once('message', () => void consume().then((counts) => parentPort?.postMessage(counts)));
parentPort?.postMessage('ready');

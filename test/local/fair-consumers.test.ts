import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test, vi } from 'vitest';
import { startFauxqs } from '../../infra/local/engines.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { makePublisher } from '../../shared/queues/publisher.ts';
import type { Publishable } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import '../support/aws-environment.ts';
import { PATIENCE } from '../support/patience.ts';
import type { Batch, Consuming } from '../support/queue-consumer.ts';
import { use } from '../support/use.ts';

const CONSUMERS = 4;
const BATCH = 10;
const [NOISY, QUIET] = [newId('organization'), newId('organization')];
const sendsOf = (owner: typeof NOISY, count: number): Publishable[] =>
  Array.from({ length: count }, () => ({ kind: 'send_message', ...KEYS.message(newId('message')), owner }));

const engine = await startFauxqs();
await use({ close: () => engine.stop() });
const sqs = new SQSClient({ endpoint: engine.endpoint });
const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'send' }));
const url = new URL(new URL(QueueUrl).pathname, engine.endpoint).href;

test('the 20 sends of one organization pass the 2,000 of another that keep several consumers busy, and none is lost', {
  timeout: 180_000,
}, async () => {
  const { publish } = makePublisher(sqs, { send: url }, () => undefined);
  await publish(sendsOf(NOISY, 2_000));
  const received = new SharedArrayBuffer(4);
  const workerData: Consuming = { endpoint: engine.endpoint, url, received, workMs: 20 };
  const script = new URL('../support/queue-consumer.ts', import.meta.url);
  const workers = Array.from({ length: CONSUMERS }, () => new Worker(script, { workerData }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const order: { readonly at: number; readonly owner: string | undefined }[] = [];
  for (const worker of workers) {
    worker.on('message', ({ before, owners }: Batch) =>
      order.push(...owners.map((owner, index) => ({ at: before + index, owner }))),
    );
    worker.postMessage('go');
  }
  const count = new Int32Array(received);
  await vi.waitFor(() => expect(Atomics.load(count, 0)).toBeGreaterThan(CONSUMERS * BATCH), PATIENCE);
  await publish(sendsOf(QUIET, 20));
  const published = Atomics.load(count, 0);
  await vi.waitFor(() => expect(order).toHaveLength(2_020), { timeout: 90_000 });
  await Promise.all(workers.map((worker) => worker.terminate()));

  const last = Math.max(...order.filter(({ owner }) => owner === QUIET).map(({ at }) => at));
  // Messages that each consumer had already received, and the batches of the 20.
  expect(last - published).toBeLessThan(2 * CONSUMERS * BATCH + 20);
  expect(order.filter(({ owner }) => owner === NOISY)).toHaveLength(2_000);
});

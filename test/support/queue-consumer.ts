import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { WorkItem } from '../../shared/queues/queues.ts';
import './aws-environment.ts';

/** A consumer that shares nothing with the others but the queue. */
export interface Consuming {
  readonly endpoint: string;
  readonly url: string;
  /** Counts what all consumers received. */
  readonly received: SharedArrayBuffer;
  /** The processing time of each batch, in ms. */
  readonly workMs: number;
}
/** Whose the messages of a batch are, and how many were received before it. */
export interface Batch {
  readonly before: number;
  readonly owners: readonly (string | undefined)[];
}

const { endpoint, url, received, workMs } = workerData as Consuming;
const sqs = new SQSClient({ endpoint });
const count = new Int32Array(received);

const consume = async (): Promise<void> => {
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
    );
    if (Messages.length === 0) continue;
    const before = Atomics.add(count, 0, Messages.length);
    const owners = Messages.map(({ Body = '' }) => (JSON.parse(Body) as WorkItem).organizationId);
    parentPort?.postMessage({ before, owners } satisfies Batch);
    await pause(workMs);
    const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
  }
};

parentPort?.once('message', () => void consume());
parentPort?.postMessage('ready');

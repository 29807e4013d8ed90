import { setTimeout as pause } from 'node:timers/promises';
import {
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, expect, it } from 'vitest';
import { startFauxqs } from '../../infra/local/engines.ts';
import type { StageFunctions } from '../../infra/local/functions.ts';
import { type Running, startPoller } from '../../infra/local/pollers.ts';
import { ensureQueues } from '../../infra/local/resources.ts';
import { LOCAL_REGION } from '../../infra/local/stages.ts';
import { QUEUES } from '../../shared/queues/queues.ts';

const PATIENCE = { timeout: 45_000, interval: 20 };

let poller: Running | undefined;
/** Bodies that the consumer received, and the releases of the batches that it holds. */
const given: string[] = [];
const held: (() => void)[] = [];
const engine = await startFauxqs();
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const client = new SQSClient({ endpoint: engine.endpoint, region: LOCAL_REGION, credentials });
const queues = await ensureQueues(client, 'test', engine.endpoint);
afterEach(async () => {
  for (const release of held.splice(0)) release();
  await poller?.stop();
  given.length = 0;
});
afterAll(async () => {
  client.destroy();
  await engine.stop();
});

/** Holds every batch with a `hold` body until it is released. */
const handler = async ({ Records }: SQSEvent) => {
  given.push(...Records.map(({ body }) => body));
  if (Records.some(({ body }) => body.startsWith('hold'))) await new Promise<void>((resolve) => held.push(resolve));
  return { batchItemFailures: [] };
};
const functions = { loaded: () => handler } as unknown as StageFunctions;

const begin = (name: string, concurrency: number): void => {
  const queue = queues[name];
  if (!queue) throw new Error(`there is no queue ${name}`);
  const faults = (_: string, __: string, error: unknown) => expect.fail(String(error));
  const work = { functions, functionPath: 'consumers/any', batchSize: 1, retrySeconds: () => 0, onFault: faults };
  poller = startPoller({ client, queue, concurrency, overlapAfterMs: 1_000, ...work });
};
const put = async (name: string, bodies: readonly string[]): Promise<void> => {
  const Entries = bodies.map((MessageBody, at) => ({ Id: String(at), MessageBody }));
  await client.send(new SendMessageBatchCommand({ QueueUrl: queues[name]?.url, Entries }));
};

it('creates queues as they are declared, with dead-letter queues, and sets one that an earlier start declared otherwise', async () => {
  const { url: QueueUrl, deadLetterUrl, arn } = queues.events ?? {};
  const attributesOf = async (url: string | undefined) => {
    const requested = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] });
    return (await client.send(requested)).Attributes ?? {};
  };
  const declared = await attributesOf(QueueUrl);
  const { QueueArn: deadLetterTargetArn } = await attributesOf(deadLetterUrl);
  expect(declared).toMatchObject({ QueueArn: arn, VisibilityTimeout: String(QUEUES.events.visibilitySeconds) });
  expect(JSON.parse(declared.RedrivePolicy ?? '')).toEqual({
    deadLetterTargetArn,
    maxReceiveCount: QUEUES.events.maxReceives,
  });
  await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: '1' } }));
  expect((await ensureQueues(client, 'test', engine.endpoint)).events).toEqual(queues.events);
  expect(await attributesOf(QueueUrl)).toEqual({ ...declared, LastModifiedTimestamp: expect.any(String) });
});

it('continues with other batches while more batches than its concurrency are held', async () => {
  begin('webhook', 2);
  await put('webhook', ['hold 1', 'hold 2', 'hold 3', 'hold 4']);
  await expect.poll(() => held.length, PATIENCE).toBe(4);
  await put('webhook', ['after 1', 'after 2']);
  await expect.poll(() => given, PATIENCE).toEqual(expect.arrayContaining(['after 1', 'after 2']));
  expect(held).toHaveLength(4);
});

it('never starts a second batch with a concurrency of one', async () => {
  begin('events', 1);
  await put('events', ['hold 1']);
  await expect.poll(() => held.length, PATIENCE).toBe(1);
  await put('events', ['after 1']);
  // Longer than the time after which a held batch no longer counts.
  await pause(1_300);
  expect(given).toEqual(['hold 1']);
  held.shift()?.();
  await expect.poll(() => given, PATIENCE).toEqual(['hold 1', 'after 1']);
});

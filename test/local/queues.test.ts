import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ReceiveMessageCommand, SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, expect, it, vi } from 'vitest';
import { failedIds } from '../../infra/local/pollers.ts';
import { STAGES, tableName } from '../../infra/local/stages.ts';
import { QUEUES } from '../../shared/queues/queues.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { startTestStack, tempDir } from '../support/local-stack.ts';
import { PATIENCE } from '../support/patience.ts';
import { patient } from '../support/patient-client.ts';
import { use } from '../support/use.ts';
import { fixtureStack } from './fixtures/operations.ts';

interface Received {
  readonly stage: string;
  readonly body: string;
  readonly receives: string;
  readonly eventSourceARN: string;
  readonly batch: number;
}

const folder = await tempDir();
afterAll(() => rm(folder, { recursive: true, force: true }));
const localStack = await use(
  startTestStack({
    ...fixtureStack(join(folder, 'dist')),
    env: { RECEIVED_FILE: join(folder, 'received'), DISPATCHED_FILE: join(folder, 'dispatched') },
    retrySeconds: () => 0,
    dispatchSeconds: 0.1,
  }),
);
const sqs = new SQSClient({ endpoint: localStack.sqsEndpoint });
const received = (): Received[] => {
  const file = join(folder, 'received');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.map((line) => JSON.parse(line) as Received);
};
const timesReceived = (body: string) => received().filter((record) => record.body === body).length;

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const deadLetters = async (stage: 'live' | 'test'): Promise<string[]> => {
  const QueueUrl = localStack.queues[stage].outcome?.deadLetterUrl;
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
  );
  return Messages.map(({ Body = '' }) => Body);
};

it('passes a message once to the consumer of its own stage', async () => {
  await sqs.send(new SendMessageCommand({ QueueUrl: localStack.queues.test.outcome?.url, MessageBody: 'hello' }));
  await vi.waitFor(() => expect(timesReceived('hello')).toBe(1), PATIENCE);
  expect(received().find(({ body }) => body === 'hello')).toMatchObject({
    stage: 'test',
    receives: '1',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:messaging-test-outcome',
  });
});

it('acknowledges the successes of a batch, and retries its failures until they are dead letters', async () => {
  const Entries = ['good', 'fail-1', 'fine'].map((MessageBody, index) => ({ Id: String(index), MessageBody }));
  await sqs.send(new SendMessageBatchCommand({ QueueUrl: localStack.queues.live.outcome?.url, Entries }));
  await expect.poll(() => deadLetters('live'), { timeout: 45_000, interval: 100 }).toContain('fail-1');
  expect(timesReceived('fail-1')).toBe(QUEUES.outcome.maxReceives);
  expect(timesReceived('good')).toBe(1);
  expect(timesReceived('fine')).toBe(1);
});

it('retries the whole batch of a consumer that throws', async () => {
  await sqs.send(new SendMessageCommand({ QueueUrl: localStack.queues.test.outcome?.url, MessageBody: 'throw' }));
  await expect.poll(() => deadLetters('test'), { timeout: 45_000, interval: 100 }).toContain('throw');
  expect(timesReceived('throw')).toBe(QUEUES.outcome.maxReceives);
});

it('runs the dispatchers of both stages repeatedly while rows are due, and not before', async () => {
  const file = join(folder, 'dispatched');
  const runs = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  expect(runs()).toBe('');
  const client = patient(tableClient(localStack.dynamodbEndpoint));
  for (const stage of STAGES)
    await new Table(client, tableName(stage)).write({
      put: { pk: 'MSG#x', sk: 'MSG', ...INDEX_KEYS.due('send_message', 'x', 0) },
    });
  client.destroy();
  await vi.waitFor(() => {
    expect(runs().match(/^live Scheduled Event/gm)?.length).toBeGreaterThan(1);
    expect(runs().match(/^test Scheduled Event/gm)?.length).toBeGreaterThan(1);
  }, PATIENCE);
});

it('treats a failure of an unknown record as a failure of all', () => {
  expect([...failedIds({ batchItemFailures: [{ itemIdentifier: 'b' }] }, ['a', 'b'])]).toEqual(['b']);
  expect([...failedIds({ batchItemFailures: [{ itemIdentifier: '' }] }, ['a', 'b'])]).toEqual(['a', 'b']);
  expect([...failedIds(undefined, ['a', 'b'])]).toEqual([]);
});

import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test, vi } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { finishPending, inScope } from '../../shared/wiring/process/scope.ts';
import '../support/aws-environment.ts';
import { listening } from '../support/loopback.ts';
import { use } from '../support/use.ts';

const published: { readonly Entries: readonly { readonly MessageBody: string; readonly MessageGroupId?: string }[] }[] =
  [];
const { url: queueUrl } = await use(
  listening(
    createServer((incoming, outgoing) => {
      void text(incoming).then((body) => {
        published.push(JSON.parse(body));
        outgoing.setHeader('content-type', 'application/x-amz-json-1.0').end('{"Successful":[],"Failed":[]}');
      });
    }),
  ),
);
const env = {
  STAGE: 'test',
  TABLE_NAME: 'test',
  LIVE_TABLE_NAME: 'live',
  PUBLIC_URL: 'https://messaging.example',
  SQS_ENDPOINT: queueUrl,
  QUEUE_URLS: JSON.stringify({ outcome: `${queueUrl}/outcome` }),
};
for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
afterAll(() => vi.unstubAllEnvs());
const { listReading } = await import('../../shared/wiring/messages/lists.ts');

test('a list is read until its invocation ends', async () => {
  const remaining = await inScope(async () => listReading.remainingMs?.(), 5_000);
  expect(remaining).toBeGreaterThan(0);
  expect(remaining).toBeLessThanOrEqual(5_000);
});

test('a list to be counted is published before the answer, for its owner', async () => {
  const organizationId = newId('organization');
  const key = KEYS.listCounting(`MSGS#sms#${organizationId}`, 'ALL');
  await inScope(async () => {
    listReading.onUncounted?.(key, organizationId);
    await finishPending();
  }, 5_000);
  const entries = published.flatMap(({ Entries }) => Entries);
  expect(entries.map(({ MessageBody }) => JSON.parse(MessageBody))).toEqual([
    expect.objectContaining({ kind: 'count_list', ...key }),
  ]);
});

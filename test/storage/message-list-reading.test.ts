import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Context } from 'aws-lambda';
import { afterAll, expect, test, vi } from 'vitest';
import { listSms as contract } from '../../shared/contracts/sms.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { changed, type Handler } from '../contracts/support.ts';
import { accepted } from '../support/accepted.ts';
import '../support/aws-environment.ts';
import { importFresh } from '../support/import-fresh.ts';
import { listening } from '../support/loopback.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

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
const world = await use(startWorld('test', { inMemory: false }));
const env = {
  DYNAMODB_ENDPOINT: world.proxy.endpoint,
  POWERTOOLS_LOG_LEVEL: 'SILENT',
  STAGE: 'test',
  TABLE_NAME: 'test',
  LIVE_TABLE_NAME: 'live',
  PUBLIC_URL: 'https://messaging.example',
  SQS_ENDPOINT: queueUrl,
  QUEUE_URLS: JSON.stringify({ outcome: `${queueUrl}/outcome` }),
};
for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
afterAll(() => vi.unstubAllEnvs());
const { handler, listReading, inScope, finishPending } = await importFresh<typeof import('./list-function.ts')>(
  import.meta.resolve('./list-function.ts'),
);
const listSms = handler as Handler;

/** A list of 3,300 messages of the last minutes, which no counts cover; as they are in one shard, it is searched in several reads. */
const longList = async () => {
  const { organizationId } = await world.organization();
  const actor = await world.organization();
  const base = (await world.ports.messageStore.read(accepted(await world.sms(actor)).id)) as MessageRecord;
  const now = Date.now();
  const rows = Array.from({ length: 3_300 }, (_, at) => {
    const createdAt = now - 60_000 + at;
    const message = { ...base, organizationId, id: newId('message'), createdAt, updatedAt: createdAt };
    return messageRows.write({ ...message, status: 'delivered' } as MessageRecord);
  });
  await world.table.putMany(rows);
  await world.table.write({ update: KEYS.wallet(organizationId), set: { sms: rows.length } });
  return (timeMs: number) => {
    const event = changed(contract, { query: { from: '2020-01-01T00:00:00.000Z' } });
    Object.assign(event.requestContext.authorizer ?? {}, { organizationId });
    const context = { awsRequestId: 'none', functionName: 'none', getRemainingTimeInMillis: () => timeMs } as Context;
    return listSms(event, context);
  };
};

test('a list that cannot be searched in the time of its invocation is 503 with Retry-After, and one that can is answered', async () => {
  const list = await longList();
  const refused = await list(4_000);
  expect(refused).toMatchObject({ statusCode: 503, headers: { 'retry-after': '15' } });
  expect(JSON.parse(refused.body)).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  const answered = await list(28_000);
  expect(answered.statusCode).toBe(200);
  expect(JSON.parse(answered.body)).toMatchObject({ total: 3_300, items: { length: 50 } });
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

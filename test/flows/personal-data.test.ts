import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Engine, startFauxqs } from '../../infra/local/engines.ts';
import { peek } from '../../infra/operator/queue-actions.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { QUEUE_NAMES } from '../../shared/queues/queues.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import { type Messaging, startMessaging, type Tenant } from '../support/api.ts';
import { CANARIES, type Finder, finderOf, strayIn } from '../support/canaries.ts';
import { misuse, useContacts, useKeys, useSandbox, type Watched } from '../support/canary-callers.ts';
import { setUpProviders, useProvider } from '../support/canary-providers.ts';
import { useWhatsapp } from '../support/canary-whatsapp.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import type { StandIn } from '../support/providers/stand-in.ts';

const { text, phone, email } = CANARIES;
let messaging: Messaging;
let engine: Engine;
let proxy: FaultProxy;
let standIns: readonly StandIn[] = [];
let find: Finder;
const secrets: Record<string, string> = {};
const toQueues: string[] = [];
const printed: string[] = [];
const problems: Watched['problems'] = [];

/** Work that no consumer can do: a row that does not parse, and a message that nobody of ours wrote. Both end among the dead letters. */
const breakConsumers = async (tenant: Tenant) => {
  const sent = await tenant.test.send({ to: CANARIES.delivered, body: text });
  const key = { pk: `MSG#${sent.body.id}`, sk: 'MSG' };
  await messaging.tables.test.write({ update: key, set: { segments: phone, status: email } });
  const { url: QueueUrl = '' } = messaging.queues.test.outcome ?? {};
  // Past the proxy: what it records is what the service itself wrote.
  const sqs = new SQSClient({ endpoint: engine.endpoint });
  const bodies = [
    JSON.stringify({ kind: 'sandbox_outcome', ...key }),
    JSON.stringify({ kind: text, pk: phone }),
    `{"${email}":`,
  ];
  for (const MessageBody of bodies) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  const { deadLetterUrl = '' } = messaging.queues.test.outcome ?? {};
  await vi.waitFor(async () => expect((await peek(sqs, deadLetterUrl, 10)).length).toBe(bodies.length), {
    timeout: 15_000,
    interval: 300,
  });
  sqs.destroy();
};

beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((chunk) => printed.push(String(chunk)) > 0);
  engine = await startFauxqs();
  proxy = await startFaultProxy(engine.endpoint);
  proxy.plan(({ action, body }) => void (action.startsWith('SendMessage') && toQueues.push(body)));
  messaging = await startMessaging({ env: { SQS_ENDPOINT: proxy.endpoint }, retrySeconds: () => 0 });
  const watched: Watched = { messaging, problems, secrets };
  const sms = await setUpProviders(watched);
  standIns = [...sms, await useWhatsapp(watched)];
  const tenant = await messaging.tenant();
  Object.assign(secrets, { liveKey: tenant.live.key, testKey: tenant.test.key });
  await useContacts(watched, tenant);
  await useSandbox(watched, tenant);
  await useKeys(watched, tenant);
  await Promise.all(sms.map((standIn) => useProvider(watched, standIn)));
  for (const operation of OPERATIONS)
    for (const client of [tenant.test, tenant.live]) await misuse(watched, client, operation);
  // Until the sandbox has reported, the providers were asked, and the events have been taken over.
  await pause(7_000);
  await breakConsumers(tenant);
  await pause(200);
  find = finderOf(secrets);
}, 300_000);
afterAll(async () => {
  await messaging?.close();
  await Promise.all(standIns.map((standIn) => standIn.close()));
  await proxy?.close();
  await engine?.stop();
});

const lines = async () =>
  (await readFile(join(messaging.dataDir, 'functions.log'), 'utf8')).split('\n').filter(Boolean);
const allRows = async (): Promise<Row[]> =>
  (await Promise.all(ENVIRONMENTS.map((env) => messaging.rowsOf(env, '')))).flat();

describe('of every operation, used and misused with canaries in each part', { timeout: 20_000 }, () => {
  test('a line is logged, and no log holds a canary', async () => {
    const logged = await lines();
    const operations = new Set(logged.map((line) => JSON.parse(line).operation).filter(Boolean));
    expect(OPERATIONS.map(({ id }) => id).filter((id) => !operations.has(id))).toEqual([]);
    expect(logged.filter((line) => find(line).length > 0)).toEqual([]);
  });

  test('nothing else that the platform writes to its folder as text holds one', async () => {
    const files = (await readdir(messaging.dataDir)).filter((file) => /\.(log|json|1)$/.test(file));
    const found = await Promise.all(
      files.map(async (file) =>
        find(await readFile(join(messaging.dataDir, file), 'utf8')).map((canary) => `${file}: ${canary}`),
      ),
    );
    expect(found.flat()).toEqual([]);
  });

  test('standard output and standard error hold none', () =>
    expect(printed.filter((chunk) => find(chunk).length > 0)).toEqual([]));

  test('no problem document repeats one, whatever the caller or the provider said', () => {
    expect(problems.length).toBeGreaterThan(200);
    expect(problems.filter(({ body }) => find(body).length > 0)).toEqual([]);
  });

  test('queue messages carry kinds and keys of rows, and no canary', () => {
    expect(toQueues.length).toBeGreaterThan(20);
    expect(toQueues.filter((body) => find(body).length > 0)).toEqual([]);
  });

  test('dead letters of the service are the same few keys', async () => {
    const sqs = new SQSClient({ endpoint: messaging.sqsEndpoint });
    for (const env of ENVIRONMENTS)
      for (const queue of QUEUE_NAMES) {
        const letters = await peek(sqs, messaging.queues[env][queue]?.deadLetterUrl ?? '', 10);
        const kinds = letters.map(({ body }) => body).filter((body) => body.includes('"sk"'));
        expect(kinds.flatMap(find)).toEqual([]);
      }
    sqs.destroy();
  });

  test('in the table, personal data stands in its own record and nowhere else: documents in clear and secrets in no row', async () => {
    const rows = (await allRows()).filter(({ segments }) => segments !== phone);
    const kinds = new Set(rows.map(({ pk }) => pk.split('#')[0]));
    for (const kind of [
      'MSG',
      'CNT',
      'PHONE',
      'RPL',
      'LINK',
      'EVT',
      'IDEM',
      'WALLET',
      'KEY',
      'CRED',
      'CORR',
      'SETTINGS',
    ])
      expect(kinds).toContain(kind);
    expect([...new Set(rows.flatMap((row) => strayIn(row, find)))]).toEqual([]);
  });

  test('the records do hold what is looked for: the search finds what is there', async () => {
    const all = find(JSON.stringify(await allRows()));
    expect(all).toEqual(
      expect.arrayContaining([
        'phone',
        'delivered',
        'undelivered',
        'live',
        'name',
        'email',
        'text',
        'reply',
        'url',
        'ip',
        'userAgent',
        'attribute',
      ]),
    );
  });
});

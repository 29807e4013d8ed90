import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import { peek } from '../../shared/queues/dead-letters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import type { Answer } from '../support/api.ts';
import { listening } from '../support/loopback.ts';
import { use } from '../support/use.ts';
import { CANARIES, finderOf } from './canaries/values.ts';
import { startRecorded } from './recorded.ts';

const { phone, delivered, name, email, text } = CANARIES;
const PATIENCE = { timeout: 45_000, interval: 100 };
const EVENTS = ['contact.created', 'contact.opted_out', 'sms.delivered'];

const { messaging, printed, toQueues } = await use(startRecorded());
const owner = await messaging.tenant();
const find = finderOf({ testKey: owner.test.key ?? '' });
const servers: { close(): Promise<void> }[] = [];
const received: string[] = [];
const problems: string[] = [];

/** A careless endpoint: its response repeats the request and adds personal data. */
const startEcho = async (status: number): Promise<string> => {
  const server = createServer((incoming, outgoing) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    incoming.on('end', () => {
      if (body.includes('"sequence"')) received.push(body);
      const code = body.includes('webhook.validation') && status !== 410 ? 200 : status;
      outgoing
        .writeHead(code, { 'x-customer': email })
        .end(JSON.stringify({ got: body, customer: { name, email, phone, delivered } }));
    });
  });
  const { url, close } = await listening(server);
  servers.push({ close });
  return `${url}/hook`;
};

const subscribe = async (status: number): Promise<Answer> =>
  owner.test.post('/webhooks', { url: await startEcho(status), events: EVENTS });

/** Raises every event about a person. */
const useEvents = async (): Promise<void> => {
  const contact = await owner.test.post('/contacts', { phone, name, email });
  expect(contact.status).toBe(201);
  await owner.test.post(`/contacts/${contact.body.id}/opt-out`, { reason: 'asked by phone' });
  expect((await owner.test.send({ to: delivered, body: text })).status).toBe(201);
};

const problemOf = async (calling: Promise<Answer>, status: number): Promise<void> => {
  const answer = await calling;
  expect(answer.status).toBe(status);
  const { instance: _, ...problem } = answer.body;
  problems.push(JSON.stringify(problem));
};

/** Calls that are answered with problem documents. */
const useProblems = async (): Promise<void> => {
  await problemOf(subscribe(410), 422);
  await problemOf(owner.test.post('/webhooks', { url: `http://${email}/`, events: [name], description: [phone] }), 422);
  await problemOf(owner.test.get(`/webhooks/${encodeURIComponent(email)}/deliveries`), 404);
  await problemOf(owner.test.get(`/webhooks/${ids.good}/events`, { after: phone }), 400);
};

const logged = () => readFile(join(messaging.dataDir, 'functions.log'), 'utf8');

/** Makes a consumer fail on a row that does not parse and contains personal data, which it logs. */
const breakDelivery = async (): Promise<void> => {
  const { body } = await owner.test.get(`/webhooks/${ids.good}/deliveries`);
  const delivery = parseId('delivery', body.items[0].id);
  await messaging.tables.test.write({
    update: KEYS.delivery(delivery),
    set: { status: 'pending', nextAttemptAt: '2026-01-01T00:00:00.000Z', type: [phone, email, name] },
  });
  const sqs = new SQSClient({ endpoint: messaging.sqsEndpoint });
  const MessageBody = JSON.stringify({ kind: 'deliver_webhook', ...KEYS.delivery(delivery) });
  await sqs.send(new SendMessageCommand({ QueueUrl: messaging.queues.test.webhook?.url, MessageBody }));
  sqs.destroy();
  await vi.waitFor(async () => expect(await logged()).toContain('consumer failed'), PATIENCE);
};

const ids = { good: (await subscribe(200)).body.id, bad: (await subscribe(500)).body.id };
await useEvents();
await vi.waitFor(() => expect(received).toHaveLength(2 * EVENTS.length), PATIENCE);
await vi.waitFor(async () => {
  const done = await owner.test.get(`/webhooks/${ids.good}/deliveries`, { status: 'delivered' });
  const failed = await owner.test.get(`/webhooks/${ids.bad}/deliveries`, { status: 'failed' });
  expect([done.body.total, failed.body.total]).toEqual([EVENTS.length, EVENTS.length]);
}, PATIENCE);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

const rowsOf = async (kind: string): Promise<Row[]> =>
  (await messaging.rowsOf('test', '')).filter(({ pk, sk }) => `${pk} ${sk}`.startsWith(kind));
const found = (rows: readonly Row[]): string[] =>
  rows.flatMap((row) =>
    Object.entries(row).flatMap(([attribute, value]) =>
      find(JSON.stringify(value) ?? '').map((canary) => `${row.pk.split('#')[0]} ${attribute}: ${canary}`),
    ),
  );

describe('personal data in webhooks, with endpoints that repeat it', () => {
  test('is found in what the endpoints received', () => {
    expect(find(received.join('\n'))).toContain('delivered');
  });

  test('is in clear in no row of a delivery, attempt or subscription', async () => {
    const [deliveries, webhooks] = [await rowsOf('DLV#'), await rowsOf('WBHS#')];
    const attempts = deliveries.filter(({ sk }) => String(sk).startsWith('ATT#'));
    expect(attempts).toHaveLength(2 * EVENTS.length);
    for (const { exchange } of attempts) expect(exchange).toEqual(expect.any(String));
    expect([...new Set(found([...deliveries, ...webhooks]))]).toEqual([]);
  });

  test('is shown to the owner of a delivery, as sent and as answered', async () => {
    const { body } = await owner.test.get(`/webhooks/${ids.good}/deliveries`);
    const shown = await Promise.all(
      body.items.map(({ id }: { id: string }) => owner.test.get(`/webhooks/${ids.good}/deliveries/${id}`)),
    );
    const attempts = shown.flatMap((answer: Answer) => answer.body.attempts);
    expect(find(JSON.stringify(attempts.map(({ requestBody }) => requestBody)))).toContain('delivered');
    expect(find(JSON.stringify(attempts.map(({ responseBody }) => responseBody)))).toContain('email');
  });

  test('is in no list of deliveries, queue message, dead letter, problem document, log or output', async () => {
    await useProblems();
    expect(problems.flatMap(find)).toEqual([]);
    for (const id of Object.values(ids))
      expect(find((await owner.test.get(`/webhooks/${id}/deliveries`)).text)).toEqual([]);
    await breakDelivery();
    const sqs = new SQSClient({ endpoint: messaging.sqsEndpoint });
    const letters = await peek(sqs, messaging.queues.test.webhook?.deadLetterUrl ?? '', 10);
    sqs.destroy();
    expect(letters.map(({ body }) => body).flatMap(find)).toEqual([]);
    expect(toQueues.filter((body) => body.includes('deliver_webhook')).length).toBeGreaterThan(0);
    expect(toQueues.flatMap(find)).toEqual([]);
    const log = await logged();
    expect(log).toContain('webhook attempt failed');
    expect(log.split('\n').filter((line) => find(line).length > 0)).toEqual([]);
    expect(printed.filter((line) => find(line).length > 0)).toEqual([]);
  });
});

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { peek } from '../../shared/queues/dead-letters.ts';
import { QUEUE_NAMES, type QueueName } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import type { Tenant } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import type { StandIn } from '../support/providers/stand-in.ts';
import { use } from '../support/use.ts';
import { useAudience } from './canaries/audience.ts';
import { misuse, useContacts, useKeys, useSandbox, type Watched } from './canaries/callers.ts';
import { takeWebhooks, useChannels, usePush } from './canaries/channels.ts';
import { AFTER_ERASURE, strayInBody, strayInRow } from './canaries/places.ts';
import { setUpProviders, useProvider } from './canaries/sms-providers.ts';
import { CANARIES, type Finder, finderOf } from './canaries/values.ts';
import { useWhatsapp } from './canaries/whatsapp.ts';
import { startRecorded } from './recorded.ts';

const { text, phone, email, name } = CANARIES;
const { messaging, engine, printed, toQueues } = await use(startRecorded());
let standIns: readonly StandIn[] = [];
let audience: Tenant;
let contactId: string;
let find: Finder;
const secrets: Record<string, string> = {};
const problems: Watched['problems'] = [];
const watched: Watched = { messaging, problems, secrets, receivers: [] };

/** Makes consumers fail: by a row that does not parse, and by malformed queue messages. All end in the dead-letter queue. */
const breakConsumers = async (tenant: Tenant) => {
  const { test: table } = messaging.tables;
  const sent = await tenant.test.send({ to: CANARIES.delivered, body: text });
  const key = { pk: `MSG#${sent.body.id}`, sk: 'MSG' };
  const contact = await tenant.test.post('/contacts', { phone: CANARIES.otherPhone, name, email });
  const changed = KEYS.changedContact(tenant.id, contact.body.id);
  const file = { format: 'csv', onConflict: 'skip', size: 9 };
  const job = KEYS.importJob((await tenant.test.post('/contacts/import/jobs', file)).body.id);
  const letters: Readonly<Partial<Record<QueueName, readonly string[]>>> = {
    outcome: [
      JSON.stringify({ kind: 'sandbox_outcome', ...key }),
      JSON.stringify({ kind: 'index_contacts', ...changed }),
      JSON.stringify({ kind: text, pk: phone }),
      `{"${email}":`,
    ],
    bulk: [JSON.stringify({ kind: name, pk: email })],
  };
  await table.write({ update: key, set: { segments: phone, status: email } });
  await table.write({
    update: KEYS.contact(contact.body.id),
    set: { tags: phone, optIn: { status: name, ip: email } },
  });
  await table.write({ update: changed, set: { contactId: [email, phone] } });
  // A worker claims it, fails, and is followed by another once the claim runs out.
  await table.write({ update: job, set: { status: 'running', mapping: phone, columns: [[name]] } });
  // Past the proxy, which records only what the service itself sends.
  const sqs = new SQSClient({ endpoint: engine.endpoint });
  const { url: bulk } = messaging.queues.test.bulk ?? {};
  await sqs.send(new SendMessageCommand({ QueueUrl: bulk, MessageBody: JSON.stringify({ kind: 'run_job', ...job }) }));
  for (const [queue, bodies] of Object.entries(letters) as [QueueName, string[]][]) {
    const { url: QueueUrl, deadLetterUrl = '' } = messaging.queues.test[queue] ?? {};
    for (const MessageBody of bodies) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    await vi.waitFor(
      async () => expect((await peek(sqs, deadLetterUrl, 10)).length).toBeGreaterThanOrEqual(bodies.length),
      {
        timeout: 45_000,
        interval: 300,
      },
    );
  }
  sqs.destroy();
};

beforeAll(async () => {
  const sms = await setUpProviders(watched);
  standIns = [...sms, await useWhatsapp(watched)];
  const tenant = await messaging.tenant();
  Object.assign(secrets, { liveKey: tenant.live.key, testKey: tenant.test.key });
  await useContacts(watched, tenant);
  await useSandbox(watched, tenant);
  await useKeys(watched, tenant);
  audience = await messaging.tenant();
  await takeWebhooks(watched, audience.test);
  contactId = await useAudience(watched, audience);
  await useChannels(watched, audience, contactId);
  await usePush(watched, audience, contactId);
  await Promise.all(sms.map((standIn) => useProvider(watched, standIn)));
  for (const operation of OPERATIONS)
    for (const client of [tenant.test, tenant.live]) await misuse(watched, client, operation);
  // Until the sandbox has reported, status queries are made and events published.
  await pause(7_000);
  await breakConsumers(await messaging.tenant());
  await pause(200);
  find = finderOf(secrets);
}, 300_000);
afterAll(async () => {
  await Promise.all([...standIns, ...watched.receivers.map(({ receiver }) => receiver)].map((each) => each.close()));
});

const lines = async () =>
  (await readFile(join(messaging.dataDir, 'functions.log'), 'utf8')).split('\n').filter(Boolean);
/** Rows that `breakConsumers` broke hold what they may not. */
const isBroken = ({ segments, tags, contactId, mapping }: Row) =>
  [segments, tags, mapping].includes(phone) || Array.isArray(contactId);
const allRows = async (): Promise<Row[]> =>
  (await Promise.all(ENVIRONMENTS.map((env) => messaging.rowsOf(env, '')))).flat();

describe('after use and misuse of every operation with canaries as personal data', { timeout: 180_000 }, () => {
  test('every operation has logged, and no log contains a canary', async () => {
    const silent = async () => {
      const operations = new Set((await lines()).map((line) => JSON.parse(line).operation).filter(Boolean));
      return OPERATIONS.map(({ id }) => id).filter((id) => !operations.has(id));
    };
    await expect.poll(silent, PATIENCE).toEqual([]);
    const logged = await lines();
    expect(logged.filter((line) => find(line).length > 0)).toEqual([]);
  });

  test('no other text file of the data directory contains one', async () => {
    const files = (await readdir(messaging.dataDir)).filter((file) => /\.(log|json|1)$/.test(file));
    const found = await Promise.all(
      files.map(async (file) =>
        find(await readFile(join(messaging.dataDir, file), 'utf8')).map((canary) => `${file}: ${canary}`),
      ),
    );
    expect(found.flat()).toEqual([]);
  });

  test('standard output and error contain none', () =>
    expect(printed.filter((chunk) => find(chunk).length > 0)).toEqual([]));

  test('no problem document repeats one, whatever the caller or provider sent', () => {
    expect(problems.length).toBeGreaterThan(200);
    expect(problems.filter(({ body }) => find(body).length > 0)).toEqual([]);
  });

  test('no webhook contains any beyond the documented fields, and no address if its creator may see none', async () => {
    const bodies = () =>
      watched.receivers.flatMap(({ receiver, unmasked }) =>
        receiver.events().map(({ body, event }) => ({ body, type: event.type, unmasked })),
      );
    const types = () => [...new Set(bodies().map(({ type }) => type))];
    const expected =
      'contact.created contact.opted_out contact.merged sms.received message.received ai.interaction import.completed';
    await expect.poll(types, PATIENCE).toEqual(expect.arrayContaining(expected.split(' ')));
    expect([...new Set(bodies().flatMap(({ body, unmasked }) => strayInBody(body, find, unmasked)))]).toEqual([]);
  });

  test('no queue message contains one', () => {
    expect(toQueues.length).toBeGreaterThan(20);
    expect(toQueues.filter((body) => find(body).length > 0)).toEqual([]);
  });

  test('no dead letter of the service contains one', async () => {
    const sqs = new SQSClient({ endpoint: messaging.sqsEndpoint });
    for (const env of ENVIRONMENTS)
      for (const queue of QUEUE_NAMES) {
        const letters = await peek(sqs, messaging.queues[env][queue]?.deadLetterUrl ?? '', 10);
        const kinds = letters.map(({ body }) => body).filter((body) => body.includes('"sk"'));
        expect(kinds.flatMap(find)).toEqual([]);
      }
    sqs.destroy();
  });

  test('in the table, personal data is in its own record only, and no row has a document or secret in clear', async () => {
    const rows = (await allRows()).filter((row) => !isBroken(row));
    const kinds = new Set(rows.map(({ pk }) => pk.split('#')[0]));
    const expected = 'MSG CNT PHONE RPL LINK EVT IDEM WALLET KEY CRED CORR SETTINGS'.split(' ');
    expect([...kinds]).toEqual(expect.arrayContaining(expected));
    expect([...new Set(rows.flatMap((row) => strayInRow(row, find)))]).toEqual([]);
  });

  test('the search finds the canaries in the records that do contain them', async () => {
    const present = 'phone delivered undelivered live name email text reply url ip userAgent attribute'.split(' ');
    expect(find(JSON.stringify(await allRows()))).toEqual(expect.arrayContaining(present));
  });

  test('an erased person is in no row any more', { timeout: 180_000 }, async () => {
    expect((await audience.test.call('DELETE', `/contacts/${contactId}`)).status).toBe(204);
    const left = async () =>
      (await messaging.rowsOf('test', audience.id)).flatMap((row) => strayInRow(row, find, AFTER_ERASURE));
    await expect.poll(async () => [...new Set(await left())], { timeout: 45_000, interval: 500 }).toEqual([]);
  });
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Backends, startBackends } from '../../infra/local/backends.ts';
import { lockDataDir } from '../../infra/local/lock.ts';
import { defaultAwsSettings } from '../../infra/local/stages.ts';
import { KEY_SCOPES } from '../../shared/domain/access/keys.ts';
import { hashSecret } from '../../shared/domain/access/secrets.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { ROOT_KEYS } from '../../shared/domain/core/secrets.ts';
import { QUEUE_NAMES } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { HEAP_FLAGS } from '../support/heap-flags.ts';
import { listening } from '../support/loopback.ts';
import { operatorOf, type Ran } from '../support/operator.ts';

const PROJECT = join(import.meta.dirname, '../..');
const dataDir = await mkdtemp(join(tmpdir(), 'messaging-operator-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** Runs the command-line tool on the test's data directory, in a process of its own. */
const adminProcess = async (...words: string[]): Promise<Ran> => {
  const env = { ...process.env, DATA_DIR: dataDir };
  const run = promisify(execFile)(process.execPath, [...HEAP_FLAGS, 'infra/operator/main.ts', ...words], {
    cwd: PROJECT,
    env,
  });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ran) => ({ code, stdout, stderr }),
  );
};
const admin = operatorOf(dataDir);
type Run = typeof admin;
const jsonOf = async (run: Run, words: readonly string[]) => {
  const { code, stdout, stderr } = await run(...words, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
};
const json = (...words: string[]) => jsonOf(admin, words);
const jsonOfProcess = (...words: string[]) => jsonOf(adminProcess, words);

const createKey = (scopes: string, run = admin) =>
  jsonOf(run, ['key', 'create', '--organization', organizationId, '--env', 'test', '--scopes', scopes]);

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
/** A stand-in for CloudFormation that describes these stacks, in the query protocol's XML. */
const startFormation = async (stacks: Readonly<Record<string, Readonly<Record<string, string>>>>) => {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const name = new URLSearchParams(body).get('StackName') ?? '';
    const outputs = Object.entries(stacks[name] ?? {}).map(
      ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${escaped(value)}</OutputValue></member>`,
    );
    response.writeHead(stacks[name] ? 200 : 400, { 'content-type': 'text/xml' });
    response.end(
      stacks[name]
        ? `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>${name}</StackName><Outputs>${outputs.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`
        : '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>There is no such stack.</Message></Error></ErrorResponse>',
    );
  };
  const { url: endpoint, close } = await listening(createServer((request, response) => void serve(request, response)));
  return { endpoint, close };
};

const { organizationId, keys } = await jsonOfProcess('organization', 'create', '--name', 'Loja Azul');

describe('on a data directory without a running service', { timeout: 180_000 }, () => {
  test('an organization is created with a key of each environment, and listed by later commands', async () => {
    expect(organizationId).toMatch(/^org_[0-9A-Za-z]{21}$/);
    expect(keys.live).toMatch(/^svc_live_[0-9A-Za-z]{32,}$/);
    expect(keys.test).toMatch(/^svc_test_[0-9A-Za-z]{32,}$/);
    expect((await jsonOfProcess('organization', 'list')).items).toMatchObject([
      { id: organizationId, name: 'Loja Azul' },
    ]);
    const listed = (await jsonOfProcess('key', 'list', '--organization', organizationId)).items;
    expect(listed).toMatchObject([
      { env: 'live', scopes: KEY_SCOPES },
      { env: 'test', scopes: KEY_SCOPES },
    ]);
  });

  test('concurrent commands wait for each other', async () => {
    const both = await Promise.all(
      ['A', 'B'].map((name) => jsonOfProcess('organization', 'create', '--name', `Loja ${name}`)),
    );
    const ids = (await jsonOfProcess('organization', 'list')).items.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(expect.arrayContaining(both.map((one) => one.organizationId)));
  });
});

describe('alongside a running service', { timeout: 180_000 }, () => {
  let backends: Backends;
  let lock: ReturnType<typeof lockDataDir>;
  beforeAll(async () => {
    defaultAwsSettings(process.env);
    lock = lockDataDir(dataDir);
    backends = await startBackends({ dataDir, onProcess: () => {}, onFault: () => {} });
    const { dynamodbEndpoint, sqsEndpoint, queues } = backends;
    const addresses = (env: 'live' | 'test') =>
      Object.fromEntries(Object.entries(queues[env]).map(([name, { url }]) => [name, url]));
    const tables = { live: backends.tables.live.name, test: backends.tables.test.name };
    const note = {
      pid: process.pid,
      dynamodbEndpoint,
      sqsEndpoint,
      tables,
      queueUrls: { live: addresses('live'), test: addresses('test') },
    };
    await writeFile(join(dataDir, 'platform.json'), JSON.stringify(note));
  }, 180_000);
  afterAll(async () => {
    await backends.stop();
    lock.release();
  });

  test('both stages have their root keys since the first organization was created: no function makes one that only reads', async () => {
    for (const env of ENVIRONMENTS)
      for (const name of ROOT_KEYS) expect(await backends.tables[env].get(KEYS.rootKey(name)), name).toBeDefined();
  });

  test('commands of another process use its tables, and it sees their writes immediately', async () => {
    const { key } = await createKey('sms:read', adminProcess);
    expect(await backends.tables.test.get(KEYS.credential(hashSecret(key)))).toMatchObject({
      org: organizationId,
      scopes: ['sms:read'],
    });
  });

  test('a key is created with the given scopes, and revoked by its id', async () => {
    const { id, key } = await createKey('sms:send,sms:read');
    expect(key).toMatch(/^svc_test_/);
    const { revokedAt } = await json('key', 'revoke', '--id', id);
    const [newest] = (await json('key', 'list', '--organization', organizationId, '--env', 'test')).items;
    expect(newest).toMatchObject({ id, scopes: ['sms:read', 'sms:send'], revokedAt });
  });

  test('a suppression is shown and lifted by its address, for an existing organization only', async () => {
    const of = ['--organization', organizationId, '--env', 'live', '--email'];
    const state = { env: 'live', organization: organizationId, suppressed: false, suppressedUntil: null };
    expect(await json('suppression', 'show', ...of, 'ana@loja.example')).toEqual(state);
    const lifted = await json('suppression', 'lift', ...of, 'ana@loja.example');
    expect(lifted).toEqual({ ...state, lifted: false, amazonSes: 'not_set_up' });
    expect(await admin('suppression', 'lift', ...of, 'ana')).toMatchObject({
      code: 1,
      stderr: '--email: must be an e-mail address\n',
    });
    of[1] = `org_${'0'.repeat(21)}`;
    expect((await admin('suppression', 'show', ...of, 'ana@loja.example')).stderr).toMatch(/no such organization/);
  });

  test('a wallet is credited once per idempotency key, which is named if it credited another amount', async () => {
    const credit = ['wallet', 'credit', '--organization', organizationId, '--env'];
    expect(await json(...credit, 'test', '--coins', '500')).toEqual({ balanceCoins: 10_000_500 });
    for (let turn = 0; turn < 2; turn++)
      expect(await json(...credit, 'live', '--coins', '700', '--idempotency-key', 'invoice-1')).toEqual({
        balanceCoins: 700,
      });
    expect(await admin(...credit, 'live', '--coins', '999', '--idempotency-key', 'invoice-1')).toEqual({
      code: 1,
      stdout: '',
      stderr: '--idempotency-key: invoice-1 has credited 700 coins before. Nothing was credited.\n',
    });
    expect(await json(...credit, 'live', '--coins', '1')).toEqual({ balanceCoins: 701 });
  });

  test('a person gets a session of the requested environment while active', async () => {
    const named = ['--organization', organizationId, '--name', 'Ana', '--email'];
    const person = [...named, 'ana@example.com'];
    const { id } = await json('account', 'create', ...person, '--status', 'active');
    expect((await json('session', 'create', '--account', id)).token).toMatch(/^svc_session_[0-9A-Za-z]{32,}$/);
    const { token, expiresAt } = await json('session', 'create', '--account', id, '--env', 'test');
    expect(token).toMatch(/^svc_session_test_[0-9A-Za-z]{32,}$/);
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(11 * 3_600_000);
    const suspended = await json('account', 'create', ...named, 'caio@example.com', '--status', 'suspended');
    expect(await admin('session', 'create', '--account', suspended.id)).toMatchObject({ code: 1, stdout: '' });
    expect((await admin('account', 'create', ...person)).stderr).toMatch(/has this e-mail address/);
    const set = ['account', 'set', '--id', id];
    expect(await json(...set, '--role', 'viewer')).toEqual({ id, status: 'active', role: 'viewer' });
    expect(await json(...set, '--status', 'suspended')).toEqual({ id, status: 'suspended', role: 'viewer' });
  });

  test('a price table that was shown can be set, and applies from its effective time', async () => {
    const shown = await json('prices', 'show');
    const file = join(dataDir, 'prices.json');
    const items = shown.items.map((row: { bands: object[] }) => ({ ...row, bands: [{ upTo: null, coins: 123 }] }));
    await writeFile(file, JSON.stringify(items));
    await json('prices', 'set', '--file', file, '--effective-from', '2020-01-01T00:00:00Z', '--env', 'test');
    expect(await json('prices', 'show', '--env', 'test')).toEqual({ effectiveFrom: '2020-01-01T00:00:00.000Z', items });
    expect(await json('prices', 'show')).toEqual(shown);
  });

  test('a price table without one of the routes is refused with the route, unless --partial is given', async () => {
    const { items } = await json('prices', 'show');
    const file = join(dataDir, 'partial.json');
    await writeFile(file, JSON.stringify(items.filter(({ route }: { route: string }) => route !== 'premium')));
    const set = ['prices', 'set', '--file', file, '--effective-from', '2999-01-01T00:00:00Z'];
    const refused = await admin(...set, '--json');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(refused.stderr).error).toContain('no row for sms premium:');
    const kept = items.filter(({ route }: { route: string }) => route !== 'premium').length;
    expect(await json(...set, '--partial')).toMatchObject({ rows: kept });
    const without = ({ channel, prefix }: { channel: string; prefix?: string }) =>
      channel !== 'sms' || prefix !== '351';
    await writeFile(file, JSON.stringify(items.filter(without)));
    expect(JSON.parse((await admin(...set, '--json')).stderr).error).toContain(
      'no row for sms premium +351, sms otp +351:',
    );
  });

  test('a mistake exits with 1 and its reason on stderr, as text or JSON', async () => {
    const wrong = [
      ['key', 'create', '--organization', organizationId, '--env', 'test', '--scopes', 'contacts:pii'],
      ['key', 'create', '--organization', organizationId, '--env', 'prod', '--scopes', 'sms:send'],
      ['key', 'revoke', '--id', 'key_000000000000000000000'],
      ['wallet', 'credit', '--organization', organizationId, '--env', 'test', '--coins', '0'],
      ['wallet', 'credit', '--organization', 'org_000000000000000000000', '--env', 'test', '--coins', '1'],
      ['account', 'create', '--organization', 'org_000000000000000000000', '--name', 'A', '--email', 'a@example.com'],
      ['organization', 'create'],
      ['queue', 'redrive', '--env', 'test', '--queue', 'nothing'],
      ['dance', 'now'],
    ];
    for (const words of wrong) {
      const { code, stdout, stderr } = await admin(...words, '--json');
      expect({ code, stdout, error: typeof JSON.parse(stderr).error }).toEqual({
        code: 1,
        stdout: '',
        error: 'string',
      });
    }
    expect(await adminProcess('key', 'revoke', '--id', 'key_000000000000000000000')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no such key here.\n',
    });
  });

  test('dead letters are listed, shown and redriven, and purged only by command', async () => {
    const QueueUrl = backends.queues.test.events?.deadLetterUrl;
    const body = JSON.stringify({ kind: 'publish_event', pk: 'EVT#x', sk: 'EVT' });
    for (let at = 0; at < 12; at++) await backends.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
    const place = ['--env', 'test', '--queue', 'events'];
    const row = async () => (await json('queue', 'list', ...place)).items[0];
    expect(await row()).toMatchObject({ waiting: 0, deadLetters: 12 });
    expect((await jsonOfProcess('queue', 'list', ...place)).items).toMatchObject([{ waiting: 0, deadLetters: 12 }]);
    const peeked = (await json('queue', 'peek', ...place, '--max', '3')).items;
    expect(peeked.map((message: { body: string }) => message.body)).toEqual([body, body, body]);
    expect(await json('queue', 'redrive', ...place)).toMatchObject({ moved: 12 });
    expect(await row()).toMatchObject({ waiting: 12, deadLetters: 0 });
    await backends.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
    expect(await json('queue', 'purge', ...place)).toMatchObject({ from: 'dlq', purged: 1 });
    expect(await row()).toMatchObject({ waiting: 12, deadLetters: 0 });
  });

  test('work that was set aside is listed, and put back by command', async () => {
    const table = backends.tables.test;
    const id = newId('upload');
    const { duePk } = INDEX_KEYS.due('abandon_upload', id, 0);
    const at = Date.parse('2026-11-01T00:00:00.000Z');
    await table.putMany([
      { ...KEYS.upload(id), ...INDEX_KEYS.setAside('abandon_upload', at), asideFrom: duePk, repeats: { at, count: 7 } },
    ]);
    const listed = { kind: 'abandon_upload', ...KEYS.upload(id), setAsideAt: '2026-11-01T00:00:00.000Z' };
    expect((await json('work', 'list', '--env', 'test')).items).toEqual([listed]);
    const retry = ['work', 'retry', '--env', 'test', '--kind', 'abandon_upload'];
    expect(await json(...retry, '--pk', 'UPL#another')).toMatchObject({ retried: 0 });
    expect(await json(...retry)).toMatchObject({ retried: 1 });
    expect((await json('work', 'list', '--env', 'test')).items).toEqual([]);
    expect(await table.get(KEYS.upload(id))).toEqual({ ...KEYS.upload(id), duePk, dueAt: expect.any(Number) });
    expect(await json(...retry)).toMatchObject({ retried: 0 });
  });

  test('the backlog of a queue is read from the table', async () => {
    const { items } = await json('queue', 'list', '--env', 'test', '--queue', 'events');
    expect(items[0].oldestDueSeconds).toBeGreaterThanOrEqual(0);
  });

  test('the same commands work on a deployment, found through the outputs of its stacks', async () => {
    const outputs = (env: 'live' | 'test') => {
      const of = (pick: 'url' | 'deadLetterUrl') =>
        JSON.stringify(
          Object.fromEntries(Object.entries(backends.queues[env]).map(([name, pair]) => [name, pair[pick]])),
        );
      return {
        TableName: backends.tables[env].name,
        KmsKeyId: 'key',
        QueueUrls: of('url'),
        QueueDlqUrls: of('deadLetterUrl'),
      };
    };
    const formation = await startFormation({
      'Messaging-Live-App': outputs('live'),
      'Messaging-Test-App': outputs('test'),
    });
    const endpoints = {
      AWS_ENDPOINT_URL_CLOUDFORMATION: formation.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: backends.dynamodbEndpoint,
      AWS_ENDPOINT_URL_SQS: backends.sqsEndpoint,
    };
    for (const [name, value] of Object.entries(endpoints)) vi.stubEnv(name, value);
    const { items } = await jsonOfProcess('organization', 'list', '--deployed');
    expect(items.map(({ id }: { id: string }) => id)).toContain(organizationId);
    expect((await json('queue', 'list', '--deployed', '--env', 'live')).items).toHaveLength(QUEUE_NAMES.length);
    expect(await admin('organization', 'list', '--stage-prefix', 'Absent')).toMatchObject({ code: 1, stdout: '' });
    vi.unstubAllEnvs();
    await formation.close();
  });
});

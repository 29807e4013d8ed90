import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { type AccountRole, ROLES } from '../../shared/domain/access/roles.ts';
import { RCS_ROUTES } from '../../shared/domain/channels/rcs/content.ts';
import { SMS_ROUTES } from '../../shared/domain/channels/sms/content.ts';
import { depthOf, peek } from '../../shared/queues/dead-letters.ts';
import { putProviderSettings } from '../../shared/storage/access/providers.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { breakers } from '../../shared/storage/due-work/breakers.ts';
import { keepLastFailures } from '../../shared/storage/due-work/dead-letters.ts';
import { MAX_COUNTED } from '../../shared/storage/due-work/overdue-work.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { duePartition } from '../../shared/storage/partitions.ts';
import { apiClient, type Client, type Messaging, startMessaging, type Tenant } from '../support/api.ts';
import { operatorJson } from '../support/operator.ts';
import { pagesOf } from '../support/pages.ts';
import { expectProblem } from '../support/problems.ts';
import { sendBodies } from '../support/queues.ts';
import { use } from '../support/use.ts';

// Without the dispatcher, rows that are put in its index stay there.
const messaging: Messaging = await use(startMessaging({ dispatchSeconds: 3_600 }));
const admin = operatorJson(messaging.dataDir);
const sqs = new SQSClient({ endpoint: messaging.sqsEndpoint });
afterAll(() => sqs.destroy());
let tenant: Tenant;
let operator: Client;
let people = 0;
/** A person of a role, signed in to the test environment. */
const sessionOf = async (role: AccountRole, organization = tenant.id): Promise<Client> => {
  people += 1;
  const person = ['--name', 'Ana', '--email', `person-${people}@example.com`, '--role', role];
  const { id } = await admin('account', 'create', '--organization', organization, ...person);
  const { token } = await admin('session', 'create', '--account', id, '--env', 'test');
  return apiClient(messaging.url, token);
};
beforeAll(async () => {
  tenant = await messaging.tenant();
  operator = await sessionOf('operator');
});

const STAGE = OPERATIONS.filter(({ path }) => path.startsWith('/v2/operator/'));
/** A path with something in the place of each parameter. */
const pathOf = (path: string): string => path.replace('{queue}', 'push').replace('{id}', tenant.id);
/** The account of whoever is signed in. */
const accountOf = async (session: Client): Promise<string> =>
  (await session.get('/v2/sessions')).body.items[0].accountId;
const stageLog = async (action: string) => (await admin('audit', 'list', '--env', 'test', '--action', action)).items;

describe('the operations of the stage', () => {
  test.each(ROLES)('are refused to a session of the role %s, and to keys', async (role) => {
    const session = await sessionOf(role);
    for (const { method, path } of STAGE)
      for (const client of [session, tenant.test])
        expectProblem(await client.call(method, pathOf(path), method === 'POST' ? { body: {} } : {}), 403);
  });

  test.each([
    ['organizations', 'organizations'],
    ['providers', 'providers'],
    ['queues', 'queues'],
    ['due-work', 'work'],
    ['due-work/set-aside', 'work'],
  ])('that list %s are entered in its log, with their operator', async (path, object) => {
    const session = await sessionOf('operator');
    expect((await session.get(`/v2/operator/${path}`)).status).toBe(200);
    const own = { kind: 'operator', id: await accountOf(session) };
    const entries = (await stageLog('stage.viewed')).filter(
      ({ actor }: { actor: { id: string } }) => actor.id === own.id,
    );
    expect(entries).toMatchObject([{ actor: own, object }]);
  });

  test('are all that an operator may do, except for its own sessions', async () => {
    for (const path of ['/v2/sms/messages', '/contacts', '/v2/wallet', '/v2/api-keys', '/v2/audit', '/webhooks'])
      expectProblem(await operator.get(path), 403);
    expect((await operator.get('/v2/sessions')).body.items).toMatchObject([{ current: true }]);
    expectProblem(await operator.post('/v2/api-keys', { name: 'x', scopes: ['operator:read'] }), 403);
    expectProblem(await tenant.test.post('/v2/api-keys', { name: 'x', scopes: ['operator:read'] }), 422);
  });

  test('cannot be granted by an organization: none of its roles makes, changes or suspends an operator', async () => {
    const owner = await sessionOf('owner');
    const account = { name: 'Bia', email: 'bia@example.com', role: 'operator' };
    expectProblem(await owner.post('/v2/accounts', account), 422);
    const { items } = (await owner.get('/v2/accounts')).body;
    const { id } = items.find(({ role }: { role: string }) => role === 'operator');
    expectProblem(await owner.post(`/v2/accounts/${id}/suspend`, {}), 403);
    expectProblem(await owner.call('PATCH', `/v2/accounts/${id}`, { body: { role: 'viewer' } }), 403);
    const viewer = items.find(({ role }: { role: string }) => role === 'viewer');
    expectProblem(await owner.call('PATCH', `/v2/accounts/${viewer.id}`, { body: { role: 'operator' } }), 422);
  });
});

describe('dead letters', () => {
  const pair = () => messaging.queues.test.push ?? { url: '', deadLetterUrl: '' };
  const peeked = async () => (await operator.get('/v2/operator/queues/push/dead-letters', { limit: 50 })).body.items;
  const redrive = (body: object) => operator.post('/v2/operator/queues/push/dead-letters', body);
  const ofMessage = (id: string) => ({ kind: 'send_push', pk: `MSG#${id}`, sk: 'MSG', organizationId: tenant.id });

  test('are shown with what they were to do and why they died, without consuming them, and moved back by their ids, once', async () => {
    const works = ['a', 'b', 'c'].map((letter) => ofMessage(`msg_${letter.repeat(21)}`));
    const bodies = works.map((work) => JSON.stringify(work));
    await sendBodies(sqs, pair().deadLetterUrl, [...bodies, '{"phone":"+5511987654321"}']);
    const items = await peeked();
    expect(items).toHaveLength(4);
    expect(JSON.stringify(items)).not.toContain('5511987654321');
    const unreadable = items.filter((each: { unreadable: boolean }) => each.unreadable);
    expect(unreadable).toHaveLength(1);
    expect(unreadable[0]).not.toHaveProperty('work');

    const letterOf = (of: readonly { work?: { pk: string } }[], work?: { pk: string }) =>
      of.find((each) => each.work?.pk === work?.pk);
    const letter = items.find((each: { work?: { pk: string } }) => each.work?.pk === works[0]?.pk);
    const now = Date.now();
    await messaging.tables.test.putMany([
      { pk: `${works[1]?.pk}`, sk: 'MSG', ...INDEX_KEYS.due('send_push', 'x', now) },
      { pk: `${works[2]?.pk}`, sk: 'MSG', ...INDEX_KEYS.setAside('send_push', now) },
    ]);
    const states = await peeked();
    expect(works.map((work) => letterOf(states, work))).toMatchObject([
      { isDue: false },
      { isDue: true },
      { isDue: false },
    ]);
    for (const work of works) await messaging.tables.test.write({ delete: { pk: work.pk, sk: 'MSG' } });
    expect(letter).toMatchObject({ work: works[0], receives: 1, unreadable: false, isDue: false });
    const reason = 'no answer from ana@loja.example or +55 11 98765-4321';
    await keepLastFailures(messaging.tables.test, [{ sqsId: letter.id, fault: 'Error', reason, at: Date.now() }]);
    const again = (await peeked()).find(({ id }: { id: string }) => id === letter.id);
    expect(again.lastFailure).toMatchObject({ fault: 'Error', reason: 'no answer from •••• or ••••' });

    const moved = await redrive({ ids: [letter.id, 'unknown'] });
    expect([moved.status, moved.body]).toEqual([
      202,
      { queue: 'push', state: 'moved', moved: 1, notFound: ['unknown'] },
    ]);
    expect((await redrive({ ids: [letter.id] })).body).toMatchObject({ moved: 0, notFound: [letter.id] });
    expect((await peeked()).map(({ id }: { id: string }) => id)).not.toContain(letter.id);
    expect(await stageLog('dead_letters.redriven')).toMatchObject([
      { object: 'queue/push', details: { count: 1 } },
      { object: 'queue/push', details: { count: 2 } },
    ]);
  });

  test('are all moved back when none is named', async () => {
    const { deadLetters } = (await operator.get('/v2/operator/queues')).body.items.find(
      ({ queue }: { queue: string }) => queue === 'push',
    );
    expect(deadLetters).toBeGreaterThan(0);
    expect((await redrive({})).body).toMatchObject({ state: 'moved', moved: deadLetters });
    // A message that does not parse becomes a dead letter again after five attempts, not at once.
    expect(await depthOf(sqs, pair().deadLetterUrl)).toMatchObject({ waiting: 0 });
  });

  test('of the other stage are neither shown nor moved', async () => {
    const { deadLetterUrl = '' } = messaging.queues.live.push ?? {};
    const work = ofMessage(`msg_${'l'.repeat(21)}`);
    await sendBodies(sqs, deadLetterUrl, [JSON.stringify(work)]);
    const [letter] = await peek(sqs, deadLetterUrl, 1);
    expect(letter?.body).toContain(work.pk);
    expect(JSON.stringify(await peeked())).not.toContain(work.pk);
    expect((await redrive({ ids: [letter?.id] })).body).toMatchObject({ moved: 0, notFound: [letter?.id] });
    await redrive({});
    expect(await depthOf(sqs, deadLetterUrl)).toMatchObject({ waiting: 1 });
  });

  test('are those of a known queue, and few at a time', async () => {
    expectProblem(await operator.get('/v2/operator/queues/none/dead-letters'), 404);
    expectProblem(await operator.get('/v2/operator/queues/push/dead-letters', { limit: 51 }), 400);
    expect((await redrive({ ids: ['unknown', 'unknown'] })).body).toMatchObject({ moved: 0, notFound: ['unknown'] });
    expectProblem(await redrive({ ids: [] }), 422);
    expectProblem(await redrive({ ids: Array.from({ length: 11 }, (_, at) => `letter-${at}`) }), 422);
  });
});

test('work that is overdue or set aside is listed by kind, and made due again once', async () => {
  const table = messaging.tables.test;
  const now = Date.now();
  const [overdue, aside] = ['x', 'y'].map((letter) => KEYS.message(`msg_${letter.repeat(21)}` as never));
  if (!overdue || !aside) throw new Error('two rows are needed');
  const due = { duePk: duePartition('send_message', 1), dueAt: now - 60_000 };
  const others = Array.from({ length: MAX_COUNTED }, (_, at) => ({
    ...KEYS.message(`msg_${String(at).padStart(21, 'z')}` as never),
    duePk: duePartition('publish_event', 0),
    dueAt: now - 60_000,
  }));
  const older = { ...KEYS.message(`msg_${'w'.repeat(21)}` as never), ...INDEX_KEYS.due('send_message', 'x', 0) };
  const asideOfPush = { ...KEYS.message(`msg_${'v'.repeat(21)}` as never), ...INDEX_KEYS.setAside('send_push', now) };
  await table.putMany([
    ...others,
    { ...older, duePk: duePartition('send_message', 2), dueAt: now - 90_000 },
    asideOfPush,
    { ...overdue, ...due },
    { ...aside, ...INDEX_KEYS.setAside('send_message', now - 1_000), asideFrom: due.duePk },
  ]);
  const stuck = (await operator.get('/v2/operator/due-work')).body.items;
  const [own] = stuck.filter(({ kind }: { kind: string }) => kind === 'send_message');
  expect(own).toMatchObject({ queue: 'send', overdue: 2, more: false, setAside: 1 });
  expect(own.oldestDueSeconds).toBeGreaterThanOrEqual(90);
  const [many] = stuck.filter(({ kind }: { kind: string }) => kind === 'publish_event');
  expect(many).toMatchObject({ overdue: MAX_COUNTED, more: true });
  const listed = (await operator.get('/v2/operator/due-work/set-aside', { kind: 'send_message' })).body.items;
  expect(listed).toMatchObject([{ kind: 'send_message', pk: aside.pk, sk: aside.sk }]);
  const all = (await operator.get('/v2/operator/due-work/set-aside')).body.items;
  expect(all.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['send_message', 'send_push']);
  const retry = (body: object) => operator.post('/v2/operator/due-work/set-aside', body);
  const row = { pk: aside.pk, sk: aside.sk };
  expect((await retry({ kind: 'send_message', row })).body).toEqual({ kind: 'send_message', retried: 1 });
  expect((await retry({ kind: 'send_message', row })).body.retried).toBe(0);
  expectProblem(await retry({ kind: 'send_message', row: { pk: 'WALLET#x', sk: 'W' } }), 422);
  expect(await table.get(aside)).toMatchObject({ duePk: due.duePk });
  const left = [overdue, aside, older, asideOfPush, ...others];
  await Promise.all(left.map(({ pk, sk }) => table.write({ delete: { pk, sk } })));
});

const SECRET = 'f'.repeat(32);

test('providers are listed with their circuit breakers, which can be probed or closed', async () => {
  const table = messaging.tables.test;
  const settings = JSON.stringify({ accountSid: `AC${'0'.repeat(32)}`, authToken: SECRET, from: '+15005550006' });
  await admin('provider', 'set', '--env', 'test', '--channel', 'sms', '--provider', 'twilio', '--settings', settings);
  const breaker = breakers(table, Date.now);
  for (let at = 0; at < 5; at++) await breaker.report('sms', 'twilio', 'premium', false);
  const shown = async () => {
    const { body, text } = await operator.get('/v2/operator/providers');
    expect(text).not.toContain(SECRET);
    const [twilio] = body.items;
    return twilio.breakers.find(({ route }: { route: string }) => route === 'premium');
  };
  expect(await shown()).toMatchObject({ state: 'open', since: expect.any(String), until: expect.any(String) });
  const place = { channel: 'sms', provider: 'twilio', route: 'premium' };
  const act = (action: string) => operator.post('/v2/operator/breakers', { ...place, action });
  expect((await act('probe')).body).toMatchObject({ route: 'premium', state: 'half_open' });
  expect(await breakers(table, Date.now).probe('sms', 'twilio', 'premium')).toBe(true);
  expect(await shown()).toMatchObject({ state: 'half_open', lastProbeAt: expect.any(String) });
  for (let at = 0; at < 2; at++) expect((await act('reset')).body).toMatchObject({ state: 'closed' });
  expectProblem(await act('probe'), 409);
  expect(await shown()).toEqual({ route: 'premium', state: 'closed', failures: 0, successes: 0 });
  const views = (await stageLog('stage.viewed')).filter(({ object }: { object: string }) => object === 'providers');
  // An open page polls: four views are one entry, or two if the hour ended meanwhile.
  expect(views.length).toBeLessThanOrEqual(2);
});

test('a provider is listed with the breakers of its own channel: one for each route, or one where there are none', async () => {
  const table = messaging.tables.test;
  const [providers, callbacks] = [
    await messaging.vault('test', 'providers'),
    await messaging.vault('test', 'callbacks'),
  ];
  const set = [
    ['sms', 'infobip'],
    ['rcs', 'infobip'],
    ['email', 'ses'],
  ] as const;
  for (const [channel, name] of set) {
    const settings = { channel, name, settings: {}, callbacks: {}, now: Date.now() };
    await putProviderSettings(table, { providers, callbacks }, settings);
  }
  const { items } = (await operator.get('/v2/operator/providers')).body;
  const routesOf = (channel: string, provider: string): string[] =>
    items
      .find((each: { channel: string; provider: string }) => each.channel === channel && each.provider === provider)
      .breakers.map(({ route }: { route: string }) => route);
  expect(routesOf('sms', 'infobip')).toEqual([...SMS_ROUTES]);
  expect(routesOf('rcs', 'infobip')).toEqual([...RCS_ROUTES]);
  expect(routesOf('email', 'ses')).toEqual(['email']);
  const place = { channel: 'rcs', provider: 'infobip', route: RCS_ROUTES[0] };
  expect((await operator.post('/v2/operator/breakers', { ...place, action: 'reset' })).status).toBe(200);
  expect((await stageLog('breaker.reset'))[0]).toMatchObject({
    object: 'provider/rcs/infobip',
    details: { channel: 'rcs', route: RCS_ROUTES[0] },
  });
});

test('organizations are listed in pages, and reading one with its wallet and limits is entered in its own log', async () => {
  const other = await messaging.tenant();
  const pages = await pagesOf(async (cursor) => {
    const query = { limit: 1, ...(cursor ? { cursor } : {}) };
    return (await operator.get('/v2/operator/organizations', query)).body;
  });
  const ids = pages.flatMap(({ items }) => items.map(({ id }: { id: string }) => id));
  expect(ids).toEqual(expect.arrayContaining([other.id, tenant.id]));
  expect(new Set(ids).size).toBe(ids.length);
  const from = 'Loja <ola@loja.example>';
  await admin('organization', 'set', '--organization', other.id, '--sms-per-second', '7', '--email-from', from);
  const owner = await sessionOf('owner', other.id);
  for (const phone of ['+5511987650001', '+5511987650002'])
    expect((await other.test.post('/contacts', { phone })).status).toBe(201);
  expect((await owner.call('PATCH', '/v2/wallet', { body: { lowBalanceCoins: 500 } })).status).toBe(200);
  const { body } = await operator.get(`/v2/operator/organizations/${other.id}`);
  expect(body).toMatchObject({
    id: other.id,
    env: 'test',
    emailFrom: from,
    wallet: { balanceCoins: 10_000_000, heldCoins: 0, lowBalanceCoins: 500 },
    limits: { smsPerSecond: 7, sendsPerMinute: 3_000 },
    counts: { accounts: 1, keys: 1, contacts: 2 },
  });
  // Another organization's address is refused in every environment, and stored in none.
  const foreign = admin('organization', 'set', '--organization', tenant.id, '--email-from', from);
  await expect(foreign).rejects.toThrow('Another organization has it');
  expect((await operator.get(`/v2/operator/organizations/${tenant.id}`)).body).not.toHaveProperty('emailFrom');
  expectProblem(await operator.get(`/v2/operator/organizations/org_${'0'.repeat(21)}`), 404);
  const reported = (await other.test.get('/v2/audit', { action: 'organization.viewed' })).body.items;
  expect(reported).toMatchObject([{ actor: { kind: 'operator', id: 'operator' }, object: other.id }]);
});

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newAccount, personHash } from '../../shared/domain/access/accounts.ts';
import { ROLES, type Role } from '../../shared/domain/access/roles.ts';
import { newSession } from '../../shared/domain/access/sessions.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { accountStore } from '../../shared/storage/access/accounts.ts';
import { sessionStore } from '../../shared/storage/access/sessions.ts';
import { accepted } from '../support/accepted.ts';
import { apiClient, type Client, startMessaging, type Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { use } from '../support/use.ts';
import { mailedToken } from './mailed-link.ts';
import { keyed, lastServedAt } from './support.ts';

const PATIENCE = { timeout: 55_000, interval: 500 };
/** A refusal waits for the gateway's cache: revocation.test.ts waits as long as it is by default. */
const messaging = await use(startMessaging({ policyCacheMs: 2_000 }));
let people = 0;

/** A person of an organization as the operator makes it, and a client with a session of it. */
const person = async ({ id: organizationId }: Tenant, role: Role, env: Environment = 'test') => {
  const email = `person-${++people}@example.com`;
  const emailHash = personHash(await messaging.vault(env, 'people'), email);
  const account = newAccount({ organizationId, name: 'Ana', email, emailHash, role, status: 'active' }, Date.now());
  const store = accountStore(messaging.tables[env], { byOperator: true });
  expect(await store.create(account, undefined)).toBe('saved');
  const session = accepted(newSession(account, env, Date.now()));
  await sessionStore(messaging.tables[env]).open(session, account);
  return { account, sessionId: session.session.id, client: apiClient(messaging.url, session.secret.text) };
};

describe('a person', () => {
  test.each(['live', 'test'] as const)(
    'is invited in %s, accepts by signing in, acts as its role says, and signs out',
    async (env) => {
      const tenant = await messaging.tenant();
      const query = env === 'test' ? { env } : {};
      const body = { name: 'Bia', email: `bia-${env}@Example.COM`, role: 'support' };
      let id = '';
      const token = await mailedToken(messaging, async () => {
        const invited = await tenant[env].post('/v2/accounts', body);
        expect(invited).toMatchObject({ status: 201, body: { status: 'invited', role: 'support' } });
        expect(invited.body.email).toBe(`bia-${env}@example.com`);
        id = invited.body.id;
      });
      const opened = await messaging.anonymous.call('POST', '/sessions', { query, body: { token } });
      expect(opened).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^svc_session_/) } });
      const again = await messaging.anonymous.call('POST', '/sessions', { query, body: { token } });
      expectProblem(again, 401, { sent: token });
      const bia = apiClient(messaging.url, opened.body.token);
      expect((await tenant[env].get(`/v2/accounts/${id}`)).body).toMatchObject({ id, status: 'active' });
      expect((await bia.get('/messages')).status).toBe(200);
      expectProblem(await bia.send(), 403);
      const [session] = (await bia.get('/v2/sessions')).body.items;
      expect(session).toMatchObject({ accountId: id, current: true, expiresAt: opened.body.expiresAt });
      expect((await bia.call('DELETE', `/v2/sessions/${session.id}`)).status).toBe(204);
      await expect.poll(async () => (await bia.get('/messages')).status, PATIENCE).toBe(401);
    },
    90_000,
  );

  test('signs in again by a requested link, and nothing reveals who has an account', async () => {
    const tenant = await messaging.tenant();
    const { account } = await person(tenant, 'viewer', 'live');
    const ask = (email: string) => messaging.anonymous.post('/sessions/links', { email });
    const token = await mailedToken(messaging, async () => {
      const [known, unknown] = [await ask(account.email.toUpperCase()), await ask('nobody@example.com')];
      expect(known).toMatchObject({ status: 202, text: '' });
      expect({ ...unknown, headers: undefined }).toEqual({ ...known, headers: undefined });
    });
    const wrong = await messaging.anonymous.call('POST', '/sessions', { query: { env: 'test' }, body: { token } });
    expectProblem(wrong, 401, { sent: token });
    const { body } = await messaging.anonymous.post('/sessions', { token });
    expect((await apiClient(messaging.url, body.token).get('/v2/wallet')).status).toBe(200);
  }, 180_000);

  test('is refused within 60 s of a suspension, and remains so after reactivation', async () => {
    const tenant = await messaging.tenant();
    const [owner, ana] = [await person(tenant, 'owner'), await person(tenant, 'viewer')];
    expect((await ana.client.get('/messages')).status).toBe(200);
    const path = `/v2/accounts/${ana.account.id}`;
    expect((await owner.client.post(`${path}/suspend`, {})).body).toMatchObject({ status: 'suspended' });
    expect((await owner.client.post(`${path}/activate`, {})).body).toMatchObject({ status: 'active' });
    const at = Date.now();
    expect((await lastServedAt(() => ana.client.get('/messages'), at)) - at).toBeLessThan(60_000);
  }, 180_000);
});

describe('managing people', async () => {
  const tenant = await messaging.tenant();
  const owner = await person(tenant, 'owner');

  test('refuses what is malformed, names the field, and repeats no value', async () => {
    const valid = { name: 'Bia', email: 'marker-77@example.com', role: 'viewer' };
    for (const [field, value] of [
      ['name', ''],
      ['email', 'marker-77'],
      ['email', 'a@b'],
      ['role', 'root'],
    ] as const)
      expectProblem(await tenant.test.post('/v2/accounts', { ...valid, [field]: value }), 422, { errors: [field] });
    expectProblem(await owner.client.call('PATCH', `/v2/accounts/${owner.account.id}`, { body: { email: 'x' } }), 422);
  });

  test('refuses to remove the last owner, and says why', async () => {
    const path = `/v2/accounts/${owner.account.id}`;
    for (const answer of [
      await owner.client.post(`${path}/suspend`, {}),
      await owner.client.call('DELETE', path),
      await owner.client.call('PATCH', path, { body: { role: 'viewer' } }),
    ])
      expect(answer).toMatchObject({ status: 409, body: { meta: { code: 'ULTIMO_PROPRIETARIO' } } });
  });

  test('lets an admin invite up to admin, and a key up to developer', async () => {
    const admin = await person(tenant, 'admin');
    for (const [client, highest] of [
      [admin.client, 'admin'],
      [tenant.test, 'developer'],
    ] as [Client, Role][])
      for (const role of ROLES) {
        const email = `invited-${++people}@example.com`;
        const { status } = await client.post('/v2/accounts', { name: 'Bia', email, role });
        expect(status, `${role} by ${highest}`).toBe(ROLES.indexOf(role) <= ROLES.indexOf(highest) ? 201 : 403);
      }
    expectProblem(await admin.client.call('PATCH', '/v2/wallet', { body: { lowBalanceCoins: 1 } }), 403);
  });

  test('removes an account with its address, which may be invited again', async () => {
    const ana = await person(tenant, 'viewer');
    const again = { name: 'Ana', email: ana.account.email, role: 'viewer' };
    expectProblem(await owner.client.post('/v2/accounts', again), 409);
    expect((await owner.client.call('DELETE', `/v2/accounts/${ana.account.id}`)).status).toBe(204);
    expect(JSON.stringify(await messaging.rowsOf('test', tenant.id))).not.toContain(ana.account.email);
    expectProblem(await owner.client.get(`/v2/accounts/${ana.account.id}`), 404);
    expect((await owner.client.post('/v2/accounts', again)).status).toBe(201);
  });

  test('gives no key more than its maker has', async () => {
    const dev = await person(tenant, 'developer');
    const make = (scopes: string[]) => dev.client.post('/v2/api-keys', { name: 'CI', scopes });
    expect((await make(['sms:send', 'messages:manage'])).status).toBe(201);
    expectProblem(await make(['pii:full']), 403);
    expectProblem(await make(['accounts:write']), 403);
  });

  test('lets support resend, cancel and replay, and neither send nor change webhooks', async () => {
    const support = await person(tenant, 'support');
    const { id } = (await tenant.test.send()).body;
    expect((await support.client.post(`/messages/${id}/resend`, {}, keyed())).status).not.toBe(403);
    expect((await support.client.post(`/messages/${id}/cancel`, {})).status).not.toBe(403);
    const webhook = 'wbh_000000000000000000000';
    expect((await support.client.post(`/webhooks/${webhook}/replay`, {})).status).not.toBe(403);
    expectProblem(await support.client.call('DELETE', `/webhooks/${webhook}`), 403);
    expectProblem(await support.client.post(`/messages/${id}/force`, {}), 403);
  });
});

test('sessions can be ended by their person and by managers only', async () => {
  const tenant = await messaging.tenant();
  const [owner, admin, ana, bia] = [
    await person(tenant, 'owner'),
    await person(tenant, 'admin'),
    await person(tenant, 'viewer'),
    await person(tenant, 'viewer'),
  ];
  const stranger = await person(await messaging.tenant(), 'owner');
  const end = (by: typeof owner, of: typeof owner) => by.client.call('DELETE', `/v2/sessions/${of.sessionId}`);
  expectProblem(await end(bia, ana), 404);
  expectProblem(await end(stranger, ana), 404);
  expectProblem(await end(admin, owner), 404);
  expectProblem(await tenant.test.call('DELETE', `/v2/sessions/${ana.sessionId}`), 403);
  expectProblem(await bia.client.get('/v2/sessions', { accountId: ana.account.id }), 404);
  const listed = await admin.client.get('/v2/sessions', { accountId: ana.account.id });
  expect(listed.body.items).toMatchObject([{ id: ana.sessionId, current: false }]);
  expect((await end(admin, ana)).status).toBe(204);
  expectProblem(await end(admin, ana), 404);
  expect((await end(bia, bia)).status).toBe(204);
  expect((await owner.client.get('/v2/sessions')).body.items).toHaveLength(1);
});

test('the organization is renamed in the environment of the credential', async () => {
  const tenant = await messaging.tenant();
  const path = '/v2/organizations/me';
  const answer = await tenant.test.call('PATCH', path, { body: { name: 'Loja Nova' } });
  expect(answer).toMatchObject({ status: 200, body: { id: tenant.id, name: 'Loja Nova', env: 'test' } });
  expect((await tenant.test.get(path)).body.name).toBe('Loja Nova');
  expect((await tenant.live.get(path)).body.name).toBe('Loja Azul');
  expectProblem(await tenant.test.call('PATCH', path, { body: { name: '' } }), 422, { errors: ['name'] });
});

test('the page of a sign-in link loads nothing, sends nothing by itself, stands in no frame, and is not kept', async () => {
  const page = await messaging.anonymous.get('/sign-in');
  expect(page.status).toBe(200);
  const [, script = ''] = /<script>([^<]+)<\/script>/.exec(page.text) ?? [];
  const hash = createHash('sha256').update(script).digest('base64');
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    'content-security-policy': `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  });
  expect(page.text).not.toMatch(/https?:\/\//);
  // Relative: a stage's own address has its name before every path.
  expect(page.text).toContain("fetch('sessions'");
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { BROWSER, dispatchesOf, ended, send, shopOf, wallet } from '../push/flow.ts';
import { type Client, startMessaging, type Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { startFcmStandIn } from '../support/providers/fcm-stand-in.ts';
import { use } from '../support/use.ts';
import { becomes, keyed } from './support.ts';

const fcm = await use(startFcmStandIn(() => Date.now()));
const { fcmUrl, googleTokenUrl } = fcm.options;
vi.stubEnv('PUSH_SERVICES', JSON.stringify({ fcmUrl, googleTokenUrl }));
afterAll(() => void vi.unstubAllEnvs());
const messaging = await use(startMessaging());

const shop = () => shopOf(messaging);

/** The opt-outs of a platform so far, by the lines of their metric in the log of the functions. */
const optOutsOf = async (platform: string): Promise<number> => {
  const lines = (await readFile(join(messaging.dataDir, 'functions.log'), 'utf8')).split('\n');
  return lines.filter((line) => line.includes('"PushOptOuts":1') && line.includes(`"platform":"${platform}"`)).length;
};

describe('an app', () => {
  test('is registered, changed and deleted, and its credentials are never shown', async () => {
    const { test: client } = await messaging.tenant();
    const credentials = fcm.app.fcm;
    const made = await client.post('/v2/push/apps', { name: 'Loja', fcm: credentials });
    expect(made).toMatchObject({ status: 201, body: { name: 'Loja', env: 'test', platforms: ['android'] } });
    const path = `/v2/push/apps/${made.body.id}`;
    const changed = await client.call('PATCH', path, { body: { name: 'Loja 2', fcm: null } });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Loja 2', platforms: [] } });
    const [list, read] = [await client.get('/v2/push/apps'), await client.get(path)];
    expect(list.body).toEqual({ items: [read.body], total: 1 });
    for (const { text } of [made, changed, list, read]) expect(text).not.toContain('PRIVATE KEY');
    expect((await client.call('DELETE', path)).status).toBe(204);
    expectProblem(await client.get(path), 404);
    expectProblem(await client.call('DELETE', path), 404);
  });

  test('with invalid credentials is refused without repeating them', async () => {
    const { test: client } = await messaging.tenant();
    const bad = { ...fcm.app.fcm, private_key: 'segredo-9182' };
    expectProblem(await client.post('/v2/push/apps', { name: 'Loja', fcm: bad }), 422, { sent: 'segredo-9182' });
  });
});

describe('a device', () => {
  test('is one row per app and token, and keeps what a later registration omits', async () => {
    const { client, register } = await shop();
    const person = { externalId: 'loja:1', userName: 'Ana Souza', userEmail: 'ana@example.com', topics: ['a'] };
    const first = await register('device-1', person);
    expect(first).toMatchObject({ status: 200, body: { ...person, optedIn: true, platform: 'ios', env: 'test' } });
    const again = await register('device-1', { userName: 'Ana Lima' });
    expect(again.body).toMatchObject({
      ...person,
      id: first.body.id,
      userName: 'Ana Lima',
      createdAt: first.body.createdAt,
    });
    expect((await client.post('/v2/push/preview', { platforms: ['ios'] })).body.reach).toBe(1);
    expect(first.text).not.toContain('device-1');
  });

  test('masks its person without pii:full, and stores no personal data in clear', async () => {
    const { tenant, client, appId } = await shop();
    const limited = await messaging.limited(client, ['push:send']);
    const person = { userName: 'Beatriz', userEmail: 'beatriz@example.com', userPhone: '+5511988887777' };
    const { body } = await limited.post('/v2/push/tokens', { appId, token: 'd', platform: 'ios', ...person });
    expect(body).toMatchObject({ userName: 'B****', userPhone: '+55119****7777' });
    const rows = JSON.stringify(await messaging.rowsOf('test', tenant.id));
    for (const text of [body.userEmail, rows]) expect(text).not.toMatch(/beatriz|988887777/i);
  });

  test.each([{ p256dh: BROWSER.p256dh }, { auth: BROWSER.auth }, {}])(
    'of a browser needs both of its keys: 400 (%o)',
    async (keys) => {
      const { register } = await shop();
      expectProblem(await register('https://fcm.googleapis.com/fcm/send/x', { platform: 'web', ...keys }), 400);
      expect((await register('https://fcm.googleapis.com/fcm/send/x', { platform: 'web', ...BROWSER })).status).toBe(
        200,
      );
    },
  );

  test.each([
    ['an unknown platform', { platform: 'fax' }, 'platform'],
    ['an unknown field', { cor: 'azul' }, 'cor'],
    ['a topic that is not a string', { topics: [7] }, 'topics.0'],
    ['a token with half a character', { token: 'x\ud800' }, 'token'],
  ])('with %s is refused with 400 and the path, since the operation documents no 422', async (_, fields, path) => {
    const { client, register, appId } = await shop();
    expectProblem(await register('device-1', fields), 400, { errors: [path] });
    expectProblem(await client.post('/v2/push/tokens/opt-out', { appId, cor: 'azul' }), 400, {
      errors: ['token', 'cor'],
    });
    expect((await client.post('/v2/push/preview', { platforms: ['ios'] })).body.reach).toBe(0);
  });

  test('of an unknown app or contact is refused: 404', async () => {
    const { client, register, appId } = await shop();
    const absent = `${appId.slice(0, 4)}${'0'.repeat(21)}`;
    expectProblem(await client.post('/v2/push/tokens', { appId: absent, token: 'x', platform: 'ios' }), 404);
    expectProblem(await register('x', { contactId: `cnt_${'0'.repeat(21)}` }), 404);
    expectProblem(await client.post('/v2/push/tokens/opt-out', { appId, token: 'never' }), 404);
  });

  test('that opted out is excluded from all sends until it registers with optedIn true', async () => {
    const { client, register, appId } = await shop();
    await register('device-1');
    const reach = async () => (await client.post('/v2/push/preview', { platforms: ['ios'] })).body.reach;
    const out = await client.post('/v2/push/tokens/opt-out', { appId, token: 'device-1' });
    expect(out).toMatchObject({ status: 200, body: { optedIn: false, optedOutAt: expect.any(String) } });
    expect(await reach()).toBe(0);
    expect((await register('device-1')).body.optedIn).toBe(false);
    expect((await send(client, { tokenIds: [out.body.id] })).body.metrics.reach).toBe(0);
    expect((await register('device-1', { optedIn: true })).body).toMatchObject({ id: out.body.id, optedIn: true });
    expect(await reach()).toBe(1);
  });

  test('counts once in the opt-out metric for each opt-out, in either way', async () => {
    const { client, register, appId } = await shop();
    await register('https://fcm.googleapis.com/fcm/send/web-1', { platform: 'web', ...BROWSER });
    const before = await optOutsOf('web');
    for (const _ of [1, 2])
      await client.post('/v2/push/tokens/opt-out', { appId, token: 'https://fcm.googleapis.com/fcm/send/web-1' });
    await register('https://fcm.googleapis.com/fcm/send/web-1', { platform: 'web', ...BROWSER, optedIn: true });
    await register('https://fcm.googleapis.com/fcm/send/web-1', { platform: 'web', ...BROWSER, optedIn: false });
    await register('https://fcm.googleapis.com/fcm/send/web-1', { platform: 'web', ...BROWSER, optedIn: false });
    await vi.waitFor(async () => expect(await optOutsOf('web')).toBe(before + 2), { timeout: 45_000, interval: 100 });
  });
});

describe('live', () => {
  const liveShop = async (): Promise<{ tenant: Tenant; appId: string }> => {
    const tenant = await messaging.tenant({ live: 1_000 });
    const { body } = await tenant.live.post('/v2/push/apps', { name: 'Loja', fcm: fcm.app.fcm });
    return { tenant, appId: body.id };
  };
  const register = (client: Client, appId: string, fields: object = {}) =>
    client.post('/v2/push/tokens', { appId, token: fcm.device.token, platform: 'android', ...fields });

  test('devices get the notification from their push service; a platform without credentials fails and is not charged', async () => {
    const { tenant, appId } = await liveShop();
    const { live } = tenant;
    await register(live, appId);
    await register(live, appId, { token: 'f'.repeat(64), platform: 'ios' });
    const before = fcm.pushes.length;
    const { id } = (await send(live)).body;
    expect(await ended(live, id)).toMatchObject({
      status: 'sent',
      billing: { chargedCoins: 10 },
      breakdown: { android: { delivered: 1 }, ios: { failures: 1 } },
    });
    const items: { platform: string; reason?: string; dispatchId: string }[] = await dispatchesOf(live, id);
    expect(items.find(({ platform }) => platform === 'ios')?.reason).toBe('credentials');
    const taken = fcm.pushes.slice(before);
    expect(taken).toHaveLength(1);
    const dispatchId = items.find(({ platform }) => platform === 'android')?.dispatchId;
    expect(JSON.stringify(taken)).toContain(dispatchId);
    expect(await wallet(live)).toMatchObject({ balanceCoins: 990, heldCoins: 0 });
  });

  test('/v1 with channel push reaches a device by its token or id, and is the same message in both lists', async () => {
    const { tenant, appId } = await liveShop();
    const { live } = tenant;
    const device = (await register(live, appId)).body.id;
    const before = fcm.pushes.length;
    for (const to of [fcm.device.token, device]) {
      const { status, body } = await live.post('/v1/messages', { channel: 'push', to, text: 'Oi' }, keyed());
      expect(status).toBe(202);
      await becomes(live, `/messages/${body.id}`, { status: 'sent' }, { timeout: 30_000, interval: 150 });
      expect(await ended(live, body.id)).toMatchObject({ id: body.id, origin: 'api', metrics: { delivered: 1 } });
      const [{ dispatchId }] = await dispatchesOf(live, body.id);
      expect(JSON.stringify(fcm.pushes.at(-1))).toContain(dispatchId);
    }
    expect(fcm.pushes.length - before).toBe(2);
    expect(await wallet(live)).toMatchObject({ balanceCoins: 980, heldCoins: 0 });
  });

  test('/v1 with channel push refuses a stranger, as the sandbox does, and charges nothing', async () => {
    const { tenant } = await liveShop();
    for (const client of [tenant.live, tenant.test]) {
      const { balanceCoins } = await wallet(client);
      const refused = await client.post('/v1/messages', { channel: 'push', to: 'unknown-device', text: 'Oi' }, keyed());
      expectProblem(refused, 422, { errors: ['to'] });
      expect(refused.body.code).toBe('invalid_recipient');
      expect(await wallet(client)).toMatchObject({ balanceCoins, heldCoins: 0 });
    }
  });
});

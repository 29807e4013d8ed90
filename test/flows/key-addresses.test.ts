import { describe, expect, test } from 'vitest';
import { apiClient, type Client, startMessaging } from '../support/api.ts';
import { use } from '../support/use.ts';
import { lastServedAt } from './support.ts';

/** A refusal waits for the gateway's cache: revocation.test.ts waits as long as it is by default. */
const messaging = await use(startMessaging({ policyCacheMs: 2_000 }));
const SCOPES = ['keys:read', 'keys:write', 'sms:read'];
const ELSEWHERE = ['203.0.113.0/24'];
const LOOPBACK = ['127.0.0.0/8', '::1'];

const created = async (client: Client, fields: Readonly<Record<string, unknown>> = {}) => {
  const { status, body } = await client.post('/v2/api-keys', { name: 'Limited', scopes: SCOPES, ...fields });
  expect(status).toBe(201);
  return { id: body.id as string, body, client: apiClient(messaging.url, body.key) };
};
const refusedHere = { status: 403, body: { code: 'FORBIDDEN', meta: { motivo: 'ip_not_allowed' } } };

describe('a key with allowedIps', () => {
  test('is refused from elsewhere, whatever its headers claim', async () => {
    const { test: owner } = await messaging.tenant();
    const { client } = await created(owner, { allowedIps: ELSEWHERE });
    const claims = {
      'x-forwarded-for': '203.0.113.9',
      'x-viewer-address': '203.0.113.9',
      'x-edge-token': 'x'.repeat(48),
      'cloudfront-viewer-address': '203.0.113.9:443',
      forwarded: 'for=203.0.113.9',
      'x-real-ip': '203.0.113.9',
    };
    for (const headers of [{}, claims])
      expect(await client.call('GET', '/v2/sms/messages', { headers })).toMatchObject(refusedHere);
  });

  test('works from its addresses, IPv4 within IPv6 included', async () => {
    const { test: owner } = await messaging.tenant();
    for (const allowedIps of [LOOPBACK, ['::ffff:127.0.0.0/104', '::1']]) {
      const { client, body } = await created(owner, { allowedIps });
      expect(body.allowedIps).toEqual(allowedIps);
      expect((await client.get('/v2/sms/messages')).status).toBe(200);
    }
  });

  test('creates only keys within its addresses, which hold for them without a list of their own', async () => {
    const { test: owner } = await messaging.tenant();
    const { client, id } = await created(owner, { allowedIps: LOOPBACK });
    const wide = { name: 'x', scopes: ['sms:read'], allowedIps: ['0.0.0.0/0'] };
    expect((await client.post('/v2/api-keys', wide)).status).toBe(403);
    const child = await created(client, { allowedIps: ['127.0.0.0/16', '::1'] });
    expect((await child.client.get('/v2/sms/messages')).status).toBe(200);
    const heir = await created(client);
    expect(heir.body.allowedIps).toEqual(LOOPBACK);
    expect((await owner.get(`/v2/api-keys/${heir.id}`)).body).toMatchObject({ createdBy: id, allowedIps: LOOPBACK });
    expect((await owner.call('PATCH', `/v2/api-keys/${id}`, { body: { allowedIps: ELSEWHERE } })).status).toBe(200);
    const late = await created(owner, { allowedIps: LOOPBACK });
    expect((await late.client.get('/v2/sms/messages')).status).toBe(200);
    expect((await owner.get(`/v2/api-keys/${child.id}`)).body.allowedIps).toEqual([]);
    await expect.poll(() => heir.client.get('/v2/sms/messages'), { timeout: 60_000 }).toMatchObject(refusedHere);
  }, 180_000);

  test('neither widens its own addresses nor gets the secret of a key that may be used from more', async () => {
    const { test: owner } = await messaging.tenant();
    const { client, id } = await created(owner, { allowedIps: LOOPBACK });
    const free = await created(owner);
    for (const allowedIps of [null, [...LOOPBACK, ...ELSEWHERE]])
      expect((await client.call('PATCH', `/v2/api-keys/${id}`, { body: { allowedIps } })).status).toBe(403);
    expect((await client.post(`/v2/api-keys/${free.id}/rotate`, {})).status).toBe(403);
    const renamed = await client.call('PATCH', `/v2/api-keys/${id}`, { body: { name: 'Renamed' } });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Renamed', allowedIps: LOOPBACK } });
    const opened = await owner.call('PATCH', `/v2/api-keys/${id}`, { body: { allowedIps: null } });
    expect([opened.status, 'allowedIps' in opened.body]).toEqual([200, false]);
  });

  test('accepts 1 to 50 ranges, and names the invalid field', async () => {
    const { test: owner } = await messaging.tenant();
    const bad: [unknown, string][] = [
      [[], 'allowedIps'],
      [['10.0.0.1/8'], 'allowedIps.0'],
      [['10.0.0.0/8', 'home'], 'allowedIps.1'],
      [Array.from({ length: 51 }, (_, at) => `10.0.0.${at}`), 'allowedIps'],
    ];
    for (const [allowedIps, path] of bad) {
      const { status, body } = await owner.post('/v2/api-keys', { name: 'x', scopes: SCOPES, allowedIps });
      expect([status, body.errors?.[0]?.path]).toEqual([422, path]);
    }
    const { id } = await created(owner);
    expect((await owner.call('PATCH', `/v2/api-keys/${id}`, { body: {} })).status).toBe(422);
  });
});

test('DELETE /v2/api-keys/{id} ends the keys below it within 60 s, and with only=this spares them', async () => {
  const { test: owner } = await messaging.tenant();
  const [ended, spared] = await Promise.all([created(owner), created(owner)]);
  const [endedChild, sparedChild] = await Promise.all([created(ended.client), created(spared.client)]);
  for (const { client } of [endedChild, sparedChild]) expect((await client.get('/v2/sms/messages')).status).toBe(200);
  expect((await owner.call('DELETE', `/v2/api-keys/${ended.id}`)).status).toBe(204);
  const revokedAt = Date.now();
  expect((await owner.call('DELETE', `/v2/api-keys/${spared.id}?only=this`)).status).toBe(204);
  expect((await owner.call('DELETE', `/v2/api-keys/${spared.id}?only=that`)).status).toBe(422);
  const servedAt = await lastServedAt(() => endedChild.client.get('/v2/sms/messages'), revokedAt);
  expect(servedAt - revokedAt).toBeLessThan(60_000);
  const { body } = await owner.get('/v2/api-keys');
  const byId = new Map(body.items.map((item: { id: string }) => [item.id, item]));
  expect(byId.get(endedChild.id)).toMatchObject({ createdBy: ended.id, revokedAt: expect.any(String) });
  expect(byId.get(sparedChild.id)).toMatchObject({ createdBy: spared.id });
  expect(byId.get(sparedChild.id)).not.toHaveProperty('revokedAt');
  await expect.poll(async () => (await spared.client.get('/v2/sms/messages')).status, { timeout: 60_000 }).toBe(401);
  expect((await sparedChild.client.get('/v2/sms/messages')).status).toBe(200);
}, 240_000);

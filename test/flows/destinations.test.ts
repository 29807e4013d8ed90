import { describe, expect, test } from 'vitest';
import { judgedAt, slotAt } from '../../shared/domain/sending/destination-watch.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { apiClient, type Client } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { balanceOf, keyed, PATIENCE } from './support.ts';

const PATH = '/v2/organizations/me/destinations';
const [BRAZIL, PORTUGAL, JAMAICA, SATELLITE] = ['+5511987650005', '+351912340005', '+18762100005', '+881612345678'];
const OPEN = { mode: 'all', countries: [] };

const messaging = await sharedMessaging();

const close = (client: Client, body: object) => client.call('PUT', PATH, { body });
const send = (client: Client, to: string, route = 'premium') =>
  client.post('/v2/sms/messages', { to, body: 'Oi', route }, keyed());

describe('the destinations of an organization', () => {
  test('are all countries, until it names those that it sends to', async () => {
    const { test: client, live } = await messaging.tenant();
    expect(await client.get(PATH)).toMatchObject({ status: 200, body: { sms: OPEN, rcs: OPEN, whatsapp: OPEN } });
    const sms = { mode: 'only', countries: ['BR', 'PT'] };
    expect(await close(client, { sms })).toMatchObject({ status: 200, body: { sms, rcs: OPEN, whatsapp: OPEN } });
    expect((await client.get(PATH)).body).toEqual({ sms, rcs: OPEN, whatsapp: OPEN });
    expect((await live.get(PATH)).body.sms).toEqual(OPEN);
    expect((await close(client, {})).body.sms).toEqual(OPEN);
  });

  test.each([
    [{ sms: { mode: 'some', countries: [] } }, 'sms.mode'],
    [{ sms: { mode: 'only', countries: ['br'] } }, 'sms.countries.0'],
    [{ rcs: { mode: 'only', countries: ['BR', 'BR'] } }, 'rcs.countries'],
    [{ email: OPEN }, 'sms, rcs, whatsapp'],
  ])('%j is refused with the path', async (body, path) => {
    const { test: client } = await messaging.tenant();
    const answer = await close(client, body);
    expectProblem(answer, 422);
    expect(JSON.stringify(answer.body.errors)).toContain(path);
  });

  test('that become unrestricted by omission are named in the audit log', async () => {
    const { test: client } = await messaging.tenant();
    await close(client, { sms: { mode: 'only', countries: ['BR'] } });
    await close(client, {});
    const { items } = (await client.get('/v2/audit', { action: 'destinations.changed', limit: 1 })).body;
    expect(items).toMatchObject([{ details: { fields: ['rcs', 'sms', 'whatsapp'] } }]);
  });

  test('are read and set with scopes of their own', async () => {
    const { test: client } = await messaging.tenant();
    const { body } = await client.post('/v2/api-keys', { name: 'Reader', scopes: ['organization:read'] });
    const reader = apiClient(messaging.url, body.key);
    expect((await reader.get(PATH)).status).toBe(200);
    expectProblem(await close(reader, {}), 403);
  });
});

describe.each(['test', 'live'] as const)('a destination in %s', (env) => {
  test('without a price is 412 before opt-out and balance, and costs nothing', async () => {
    const client = (await messaging.tenant())[env];
    const before = await balanceOf(client);
    for (const to of [SATELLITE, '+447012345678', '+19002345678']) {
      const refused = await send(client, to);
      expectProblem(refused, 412);
      expect(refused.body.meta).toEqual({ motivo: 'destination_not_priced' });
    }
    expect(await balanceOf(client)).toBe(before);
  });
});

const { test: client } = await messaging.tenant();

test('a closed country refuses single, unified and bulk sends and their previews, with 422', async () => {
  expect((await close(client, { sms: { mode: 'only', countries: ['BR', 'JM'] } })).status).toBe(200);
  const refused = await send(client, PORTUGAL);
  expectProblem(refused, 422);
  expect(refused.body.meta).toEqual({ motivo: 'destination_closed', country: 'PT' });
  expect((await send(client, BRAZIL)).status).toBe(201);
  expect((await send(client, JAMAICA)).status).toBe(201);
  const message = { channel: 'sms', to: PORTUGAL, text: 'Oi' };
  const merged = await client.post('/v1/messages', message, keyed());
  expect(merged).toMatchObject({ status: 422, body: { meta: { motivo: 'destination_closed' } } });
  expect((await client.post('/messages', { ...message, type: 'text' }, keyed())).status).toBe(422);
  const preview = await client.post('/v1/messages/preview', message);
  expect(JSON.stringify(preview.body)).toContain('destination_closed');
  expect((await client.post('/v2/sms/preview', { body: 'Oi', route: 'premium', to: PORTUGAL })).status).toBe(422);
  const messages = [message, { ...message, to: BRAZIL }];
  const bulk = await client.post('/v1/messages/bulk', { mode: 'permissive', messages }, keyed());
  expect(bulk.body).toMatchObject({ accepted: 1, rejected: 1, errors: [{ index: 0 }] });
  expect(JSON.stringify(bulk.body.errors)).toContain('country');
});

test('a country closed to SMS refuses the SMS text of an RCS message too, and lets the message leave without it', async () => {
  const { test: own } = await messaging.tenant();
  await close(own, { sms: { mode: 'only', countries: ['BR'] } });
  const rcs = { to: PORTUGAL, content: { text: 'Oi' }, route: 'easy_rcs' };
  const fallback = { text: 'Oi' };
  const refused = await own.post('/v2/rcs/messages', { ...rcs, fallback }, keyed());
  expectProblem(refused, 422, { errors: ['fallback'] });
  expect(refused.body.meta).toEqual({ motivo: 'destination_closed', country: 'PT' });
  const merged = { channel: 'rcs', to: PORTUGAL, type: 'text', payload: { text: 'Oi', fallback } };
  expectProblem(await own.post('/messages', merged, keyed()), 422, { errors: ['payload.fallback'] });
  expect((await own.post('/v2/rcs/messages', rcs, keyed())).status).toBe(201);
  expect((await own.post('/v2/rcs/messages', { ...rcs, to: BRAZIL, fallback }, keyed())).status).toBe(201);
});

test('a send costs what its destination costs, alone, in a batch and in previews', async () => {
  const { test: other } = await messaging.tenant();
  const costs = async (to: string) => (await send(other, to)).body.billing.coins;
  const previewed = async (to?: string) =>
    (await other.post('/v2/sms/preview', { body: 'Oi', route: 'premium', ...(to ? { to } : {}) })).body.billing.coins;
  const tos = [BRAZIL, PORTUGAL, JAMAICA];
  const prices = [800, 7_000, 40_000];
  expect(await Promise.all(tos.map(costs))).toEqual(prices);
  expect(await Promise.all(tos.map(previewed))).toEqual(prices);
  expect(await previewed()).toBe(800);
  const before = await balanceOf(other);
  const messages = tos.map((to) => ({ channel: 'sms', to, text: 'Oi' }));
  expect((await other.post('/v1/messages/bulk', { mode: 'permissive', messages }, keyed())).body).toMatchObject({
    accepted: 3,
  });
  await expect.poll(() => balanceOf(other), PATIENCE).toBe(before - 47_800);
});

test('the price table names the prefixes, and the wallet one band a route', async () => {
  const { body } = await client.get('/v2/prices');
  expect(body.items).toContainEqual(expect.objectContaining({ channel: 'sms', route: 'otp', prefix: '351' }));
  expect(body.items).toContainEqual(expect.objectContaining({ channel: 'sms', route: 'premium', prefix: '55' }));
  const wallet = (await client.get('/v2/wallet')).body;
  expect(wallet.bands.map(({ route }: { route: string }) => route)).toEqual(['premium', 'otp']);
});

test('a prefix whose SMS were not delivered is detected by the service itself, and held only for its organization', async () => {
  const [{ id, test: held }, { test: other }] = [await messaging.tenant(), await messaging.tenant()];
  const slot = slotAt(Date.now() - 11 * 60_000);
  const counts = KEYS.destinationCounts(id, '3519123', 3);
  await messaging.tables.test.write({
    put: {
      ...counts,
      [`s${slot}`]: 60,
      [`d${slot}`]: 5,
      total: 60,
      ...INDEX_KEYS.due('judge_destination', counts.pk, judgedAt(slot)),
    },
  });
  await expect.poll(async () => (await send(held, PORTUGAL)).body.meta?.motivo, PATIENCE).toBe('destination_held');
  const refused = await send(held, PORTUGAL);
  expectProblem(refused, 412);
  expect(Date.parse(refused.body.meta.heldUntil)).toBeGreaterThan(Date.now() + 3_000_000);
  expect((await send(other, PORTUGAL)).status).toBe(201);
  expect((await send(held, BRAZIL)).status).toBe(201);
  const preview = await held.post('/v1/messages/preview', { channel: 'sms', to: PORTUGAL, text: 'Oi' });
  expect(JSON.stringify(preview.body)).toContain('destination_held');
  const rcs = { to: PORTUGAL, content: { text: 'Oi' }, route: 'easy_rcs' };
  const withSms = await held.post('/v2/rcs/messages', { ...rcs, fallback: { text: 'Oi' } }, keyed());
  expectProblem(withSms, 412, { errors: ['fallback'] });
  expect(withSms.body.meta).toMatchObject({ motivo: 'destination_held' });
  expect((await held.post('/v2/rcs/messages', rcs, keyed())).status).toBe(201);
});

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { aMessage } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { balanceOf, keyed } from './support.ts';

const messaging = await sharedMessaging();
const tenant = await messaging.tenant();

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const asAccepted = {
  id: expect.stringMatching(/^msg_[0-9A-Za-z]{21}$/),
  status: 'sent',
  env: 'test',
  route: 'premium',
  to: '+5511999990005',
  provider: 'sandbox_provider',
  encoding: 'GSM-7',
  length: 16,
  segments: 1,
  createdAt: instant,
  sentAt: instant,
  billing: { coins: 800 },
  replayed: false,
};
const messages = async () => (await tenant.test.get('/v2/sms/messages')).body.total;

describe('an accepted send', () => {
  test('is answered 201 with exactly the message, its price and replayed', async () => {
    const { status, body, headers } = await tenant.test.send();
    expect({ status, body }).toEqual({ status: 201, body: asAccepted });
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('returns contactId, campaignId and metadata unchanged, in the response, the read and the list', async () => {
    const contact = await tenant.test.post('/contacts', { phone: '+5511999990005' });
    const given = {
      contactId: contact.body.id,
      campaignId: 'Black Friday / 2026',
      metadata: { orderId: 'A-1', 'x.y_z-9': 'ação 🙂', attempt: 1.5, big: -9007199254740991, vip: false, empty: '' },
    };
    const { status, body } = await tenant.test.send({ ...given, senderId: 'LOJA AZUL' });
    expect({ status, body }).toEqual({ status: 201, body: { ...asAccepted, ...given } });
    expect((await tenant.test.get(`/v2/sms/messages/${body.id}`)).body).toMatchObject(given);
    const listed = await tenant.test.get('/v2/sms/messages', { campaignId: given.campaignId });
    expect(listed.body).toMatchObject({ total: 1, items: [given] });
  });

  test('may have 20 metadata keys of 64 characters with values of 256', async () => {
    const keys = Array.from({ length: 20 }, (_, at) => `k${at}`.padEnd(64, 'x'));
    const metadata = Object.fromEntries(keys.map((key) => [key, 'é'.repeat(256)]));
    const { status, body } = await tenant.test.send({ metadata });
    expect({ status, metadata: body.metadata }).toEqual({ status: 201, metadata });
  });

  test('is charged by its route: premium and otp have different prices', async () => {
    const [premium, otp] = await Promise.all(['premium', 'otp'].map((route) => tenant.test.send({ route })));
    expect([premium?.body.billing, otp?.body.billing]).toEqual([{ coins: 800 }, { coins: 900 }]);
    expect(otp?.body.route).toBe('otp');
  });
});

describe('a recipient', () => {
  test('is masked everywhere without pii:full, also in the response and its replay', async () => {
    const masking = await messaging.limited(tenant.test, ['sms:send', 'sms:read']);
    const key = randomUUID();
    const { body } = await masking.send({ to: '+5511999991234' }, key);
    const { body: replay } = await masking.send({ to: '+5511999991234' }, key);
    const read = await masking.get(`/v2/sms/messages/${body.id}`);
    const list = await masking.get('/v2/sms/messages', { phone: '+5511999991234' });
    const shown = [body.to, replay.to, read.body.to, list.body.items[0].to];
    expect(shown).toEqual(Array(4).fill('+55119****1234'));
    expect((await tenant.test.get(`/v2/sms/messages/${body.id}`)).body.to).toBe('+5511999991234');
  });

  test.each([
    ['no plus', '5511999990005'],
    ['spaces', '+55 11 99999 0005'],
    ['an unknown area code', '+5500999990005'],
    ['an unknown country code', '+999123456789'],
    ['full-width digits', '+５５11999990005'],
    ['a direction mark', '+5511999990005\u200f'],
    ['a trailing line break', '+5511999990005\n'],
    ['an address', 'maria@example.com'],
    ['nothing', ''],
  ])('with %s is refused with 422 and never corrected', async (_, to) => {
    const refused = await tenant.test.send({ to });
    expectProblem(refused, 422, { sent: to, errors: ['to'] });
  });
});

describe('a repeated Idempotency-Key', () => {
  test('with the same body is replayed, without sending or charging', async () => {
    const key = randomUUID();
    const metadata = { a: 1, b: 'x' };
    const first = await tenant.test.send({ metadata, campaignId: 'once' }, key);
    const before = await Promise.all([messages(), balanceOf(tenant.test)]);
    const again = await tenant.test.send({ campaignId: 'once', metadata: { b: 'x', a: 1 } }, key);
    expect(again.status).toBe(201);
    expect(again.body).toEqual({ ...first.body, replayed: true });
    expect(await Promise.all([messages(), balanceOf(tenant.test)])).toEqual(before);
  });

  test.each([
    ['text', { body: 'Seu pedido não saiu.' }],
    ['recipient', { to: '+5511999990006' }],
    ['route', { route: 'otp' }],
    ['metadata', { metadata: { a: 1 } }],
    ['trackLinks', { trackLinks: true }],
    ['route without a price', { route: 'la_dedicada' }],
  ])('with another %s is 409, and the first response is still replayed', async (_, change) => {
    const key = randomUUID();
    const first = await tenant.test.send({}, key);
    expectProblem(await tenant.test.send(change, key), 409);
    expect((await tenant.test.send({}, key)).body).toEqual({ ...first.body, replayed: true });
  });

  test('of another organization or environment is a different key', async () => {
    const key = randomUUID();
    const other = await messaging.tenant();
    await messaging.credit('live', tenant.id, 10_000);
    const [mine, theirs] = await Promise.all([
      tenant.test.send({}, key),
      other.test.send({ body: 'Outro texto' }, key),
    ]);
    expect([mine.status, theirs.status, theirs.body.replayed]).toEqual([201, 201, false]);
    expectProblem(await tenant.live.send({ body: 'Texto da vida real' }, key), 502);
  });

  test('of a request refused for its shape, route, opt-out or balance stays free', async () => {
    const key = randomUUID();
    const poor = await messaging.tenant();
    for (const change of [{ to: 'x' }, { route: 'la_dedicada' }, { unknown: 1 }]) await tenant.test.send(change, key);
    expect((await tenant.test.send({}, key)).body).toMatchObject({ replayed: false, status: 'sent' });
    expectProblem(await poor.live.send({}, key), 402);
    await messaging.credit('live', poor.id, 1_000);
    expectProblem(await poor.live.send({ body: 'Outro' }, key), 502);
  });
});

describe('an invalid send', () => {
  test('without an Idempotency-Key, or with one that is not visible ASCII, is 400', async () => {
    const post = (headers: Record<string, string>) => tenant.test.post('/v2/sms/messages', aMessage, headers);
    for (const key of [undefined, 'a'.repeat(256), 'two words', 'caf\u00e9'])
      expectProblem(await post(key === undefined ? {} : keyed(key)), 400);
    expect((await post(keyed('k'.repeat(255)))).status).toBe(201);
  });

  test.each([
    ['to', { to: undefined }],
    ['body', { body: undefined }],
    ['body', { body: '' }],
    ['body', { body: 'x'.repeat(10_001) }],
    ['body', { body: 7 }],
    ['route', { route: undefined }],
    ['route', { route: 'express' }],
    ['senderId', { senderId: 'DOZE LETRAS!' }],
    ['contactId', { contactId: 'cnt_short' }],
    ['campaignId', { campaignId: '' }],
    ['campaignId', { campaignId: 'x'.repeat(129) }],
    ['trackLinks', { trackLinks: 'true' }],
    ['metadata', { metadata: [] }],
    ['metadata', { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, 1])) }],
    ['metadata.1a', { metadata: { '1a': 1 } }],
    [`metadata.${'k'.repeat(65)}`, { metadata: { ['k'.repeat(65)]: 1 } }],
    ['metadata.a', { metadata: { a: 'x'.repeat(257) } }],
    ['metadata.a', { metadata: { a: null } }],
    ['metadata.a', { metadata: { a: { b: 1 } } }],
    ['metadata.a', { metadata: { a: 2 ** 53 + 2 } }],
    ['priority', { priority: 'high' }],
  ])('that breaks the contract at %j is 422 with the path', async (path, change) => {
    expectProblem(await tenant.test.send(change), 422, { errors: [path] });
  });

  test('is checked in the documented order: scope, key, shape, replay, route, opt-out, balance', async () => {
    const reader = await messaging.limited(tenant.live, ['sms:read']);
    const post = (client: typeof reader, body: unknown, headers = {}) => client.post('/v2/sms/messages', body, headers);
    const invalid = { to: 'x', body: 7, route: 'la_dedicada' };
    expectProblem(await post(messaging.anonymous, invalid), 401);
    expectProblem(await post(reader, invalid), 403);
    expectProblem(await post(tenant.live, invalid), 400);
    expectProblem(await post(tenant.live, invalid, keyed()), 422);
    const poor = await messaging.tenant();
    expectProblem(await poor.live.send({ route: 'la_dedicada' }), 412);
    expectProblem(await poor.live.send({ contactId: 'cnt_000000000000000000000' }), 422, { errors: ['contactId'] });
    expectProblem(await poor.live.send(), 402);
  });

  test('is not stored or charged, whatever refused it', async () => {
    const other = await messaging.tenant();
    const before = await messaging.rowsOf('test', other.id);
    const answers = [{ to: 'x' }, { route: 'la_dedicada' }, { contactId: 'cnt_000000000000000000000' }, { x: 1 }];
    for (const change of answers) expect((await other.test.send(change)).status).toBeGreaterThanOrEqual(400);
    expect(await messaging.rowsOf('test', other.id)).toEqual(before);
  });
});

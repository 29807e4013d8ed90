import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { startMessaging, type Tenant, UNHURRIED } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { balanceOf, becomes, idsOf, keyed, optedOut, registerDevice } from './support.ts';

const DELIVERED = '+5511999990005';
const FAILED = '+5511999990008';
const TEXT = 'Seu pedido saiu para entrega.';
const WAIT = { timeout: 200_000, interval: 300 };
const OPENING = 10_000_000;
const SMS = 800;
const NOBODY = `msg_${'0'.repeat(21)}`;

const messaging = await use(startMessaging({ env: UNHURRIED }));

const sms = (fields: Readonly<Record<string, unknown>> = {}) => ({
  channel: 'sms',
  to: DELIVERED,
  text: TEXT,
  ...fields,
});
const many = (count: number, fields: (at: number) => Readonly<Record<string, unknown>> = () => ({})) =>
  Array.from({ length: count }, (_, at) => sms(fields(at)));
const bulk = (of: Tenant, messages: readonly unknown[], mode = 'permissive') =>
  of.test.post('/v1/messages/bulk', { messages, mode });
const batchOf = async (of: Tenant, batchId: string) => (await of.test.get(`/v1/messages/bulk/${batchId}`)).body;
const entriesOf = async (of: Tenant) => (await of.test.get('/v2/wallet/entries', { limit: 200 })).body.items;
const messageRows = async (of: Tenant) =>
  (await messaging.rowsOf('test', of.id)).filter(({ pk }) => pk.startsWith('MSG#'));

/** Waits until a batch has these counts. */
const settled = (of: Tenant, batchId: string, counts: Readonly<Record<string, number>>) =>
  vi.waitFor(async () => expect((await batchOf(of, batchId)).counts).toMatchObject(counts), WAIT);

/** Waits until the money adds up: a chunk's escrow is closed soon after its last message ends. */
const addsUp = (of: Tenant) => vi.waitFor(() => checkMoney(messaging.tables.test, of.id), WAIT);

describe.concurrent('a bulk send', { timeout: 240_000 }, () => {
  test('is accepted and sent as a whole, and billed once per message through one hold per chunk', async () => {
    const tenant = await messaging.tenant();
    const messages = many(200, (at) => (at % 10 === 0 ? { to: FAILED } : {}));
    const sent = await bulk(tenant, messages);
    expect(sent).toMatchObject({ status: 202, body: { total: 200, accepted: 200, rejected: 0, errors: [] } });
    expect(sent.body.batchId).toMatch(/^btc_[0-9A-Za-z]{21}$/);
    await settled(tenant, sent.body.batchId, { queued: 0, sending: 0, sent: 0, delivered: 180, failed: 20 });
    await addsUp(tenant);
    expect(await balanceOf(tenant.test)).toBe(OPENING - 200 * SMS);
    const entries = (await entriesOf(tenant)).filter(
      ({ batchId }: { batchId?: string }) => batchId === sent.body.batchId,
    );
    expect(entries.filter(({ kind }: { kind: string }) => kind === 'hold')).toHaveLength(3);
    expect(entries.filter(({ kind }: { kind: string }) => kind === 'capture')).toHaveLength(3);
    const queued = (await messaging.eventsOf('test', tenant.id)).filter(({ type }) => type === 'message.queued');
    expect(new Set(queued.map(({ data }) => data.id)).size).toBe(200);
    const list = await tenant.test.get('/v2/sms/messages', { limit: 1 });
    expect(list.body.total).toBe(200);
  });

  test('mixes every channel, templates and fallbacks', async () => {
    const tenant = await messaging.tenant();
    await registerDevice(tenant.test, 'device-1');
    const sent = await bulk(tenant, [
      sms(),
      sms({ channel: 'rcs' }),
      sms({ channel: 'push', to: 'device-1' }),
      sms({ channel: 'whatsapp', text: undefined, template: 'pedido' }),
      sms({ channel: 'email', to: 'success@simulator.amazonses.com' }),
      sms({ to: FAILED, fallback: [{ channel: 'rcs', to: DELIVERED }] }),
    ]);
    expect(sent.body).toMatchObject({ accepted: 6, errors: [] });
    await settled(tenant, sent.body.batchId, { delivered: 4, sent: 1, failed: 1 });
    await vi.waitFor(async () => {
      const { body } = await tenant.test.get('/v2/rcs/messages', {});
      expect(body.items.map(({ status }: { status: string }) => status)).toEqual(['delivered', 'delivered']);
    }, WAIT);
    await addsUp(tenant);
  });

  test('in permissive mode accepts the valid messages and reports the others by index', async () => {
    const tenant = await messaging.tenant();
    const contact = await tenant.test.post('/contacts', { phone: '+5511988887777', optIn: { status: 'denied' } });
    expect(contact.status).toBe(201);
    const sent = await bulk(tenant, [
      sms(),
      sms({ to: '+55119' }),
      sms({ to: '+5511988887777' }),
      sms({ channel: 'whatsapp' }),
      { channel: 'sms' },
      'nothing',
      sms({ maxCoins: 10 }),
      sms({ idempotencyKey: 'twice' }),
      sms({ idempotencyKey: 'twice' }),
      sms({ idempotencyKey: 'twice', text: 'Outro' }),
    ]);
    expect(sent.body).toMatchObject({ total: 10, accepted: 3, rejected: 7 });
    expect(sent.body.errors.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
      [1, 'invalid_phone'],
      [2, 'invalid_request'],
      [3, 'window_closed'],
      [4, 'invalid_request'],
      [5, 'invalid_request'],
      [6, 'precondition_failed'],
      [9, 'conflict'],
    ]);
    await settled(tenant, sent.body.batchId, { delivered: 2 });
    expect(await balanceOf(tenant.test)).toBe(OPENING - 2 * SMS);
    await addsUp(tenant);
  });

  test('in permissive mode accepts what the wallet covers and refuses the rest with insufficient_funds', async () => {
    const tenant = await messaging.tenant();
    const long = { text: 'a'.repeat(152 * 60) };
    const messages = many(300, () => long);
    const sent = await bulk(tenant, messages);
    const cost = 60 * SMS;
    const accepted = Math.floor(OPENING / cost);
    expect(sent.body).toMatchObject({ accepted, rejected: 300 - accepted });
    expect(sent.body.errors[0]).toMatchObject({ index: accepted, code: 'insufficient_funds' });
    expect(await balanceOf(tenant.test)).toBe(OPENING - accepted * cost);
    await settled(tenant, sent.body.batchId, { delivered: accepted });
    await addsUp(tenant);
  });

  test('in strict mode stores and charges nothing when one message is invalid or the wallet does not cover all', async () => {
    const tenant = await messaging.tenant();
    const wrong = await bulk(tenant, [sms(), sms({ to: '+55119' })], 'strict');
    expect(wrong).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
    expect(wrong.body.errors).toEqual([{ path: 'messages.1', message: expect.stringContaining('invalid_phone') }]);
    const messages = many(1_000, () => ({ text: 'a'.repeat(152 * 20) }));
    const expensive = await bulk(tenant, messages, 'strict');
    expect(expensive).toMatchObject({ status: 402, body: { code: 'insufficient_funds' } });
    expect(await balanceOf(tenant.test)).toBe(OPENING);
    expect(await messageRows(tenant)).toEqual([]);
    await addsUp(tenant);
  });

  test('in strict mode accepts and sends all when all are valid', async () => {
    const tenant = await messaging.tenant();
    const sent = await bulk(tenant, many(110), 'strict');
    expect(sent).toMatchObject({ status: 202, body: { total: 110, accepted: 110, rejected: 0 } });
    await settled(tenant, sent.body.batchId, { delivered: 110 });
    await addsUp(tenant);
  });

  test('repeated with its keys sends nothing again', async () => {
    const tenant = await messaging.tenant();
    const messages = many(110, (at) => ({ idempotencyKey: `order-${at}` }));
    const first = await bulk(tenant, messages);
    const again = await bulk(tenant, [...messages, sms({ idempotencyKey: 'order-110' })]);
    expect(again.body).toMatchObject({ total: 111, accepted: 111, rejected: 0 });
    expect(again.body.batchId).not.toBe(first.body.batchId);
    await settled(tenant, again.body.batchId, { delivered: 111 });
    expect(await balanceOf(tenant.test)).toBe(OPENING - 111 * SMS);
    const single = await tenant.test.post('/v1/messages', sms(), keyed('order-7'));
    expect(single.body.replayed).toBe(true);
    await addsUp(tenant);
  });

  test('is sent when scheduled, and can be cancelled until then, which refunds it immediately', async () => {
    const tenant = await messaging.tenant();
    const [soon, tomorrow] = [4_000, 86_400_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const scheduled = [soon, soon, tomorrow].map((scheduledAt) => ({ ...sms(), scheduledAt }));
    const sent = await bulk(tenant, [...scheduled, sms()]);
    expect(sent.body.accepted).toBe(4);
    await settled(tenant, sent.body.batchId, { queued: 1, delivered: 3 });
    const listed = (await tenant.test.get('/messages', { batchId: sent.body.batchId })).body.items;
    const left = listed.filter((each: { scheduledAt?: string }) => each.scheduledAt === soon);
    expect(left).toHaveLength(2);
    for (const { sentAt } of left) expect(sentAt >= String(soon)).toBe(true);
    const waiting = listed.find(({ status }: { status: string }) => status === 'queued');
    expect(await balanceOf(tenant.test)).toBe(OPENING - 4 * SMS);
    expect((await tenant.test.post(`/messages/${waiting.id}/cancel`, {})).status).toBe(200);
    expect(await balanceOf(tenant.test)).toBe(OPENING - 3 * SMS);
    await settled(tenant, sent.body.batchId, { queued: 0, delivered: 3, failed: 1 });
    // The cancelled one's chunk stays open until its time.
    await checkMoney(messaging.tables.test, tenant.id, { quiet: false });
    expect(await balanceOf(tenant.test)).toBe(OPENING - 3 * SMS);
  });

  test('of another organization is not found, and more than 5,000 messages are refused', async () => {
    const [owner, stranger] = await Promise.all([messaging.tenant(), messaging.tenant()]);
    const sent = await bulk(owner, [sms()]);
    expect((await stranger.test.get(`/v1/messages/bulk/${sent.body.batchId}`)).status).toBe(404);
    expect((await owner.live.get(`/v1/messages/bulk/${sent.body.batchId}`)).status).toBe(404);
    expect((await owner.test.get(`/v1/messages/bulk/btc_${randomUUID()}`)).status).toBe(404);
    expect((await bulk(owner, many(5_001))).status).toBe(422);
    expect((await bulk(owner, [])).status).toBe(422);
  });
});

describe.concurrent('a bulk resend', { timeout: 240_000 }, () => {
  const failures = async (count: number) => {
    const tenant = await messaging.tenant();
    const messages = many(count, () => ({ to: FAILED, campaignId: 'natal' }));
    const sent = await bulk(tenant, messages);
    await settled(tenant, sent.body.batchId, { failed: count });
    await addsUp(tenant);
    const { items } = (await tenant.test.get('/messages', { batchId: sent.body.batchId, limit: 200 })).body;
    return { tenant, batchId: sent.body.batchId, ids: idsOf(items) };
  };
  const window = () => ({
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date(Date.now() + 60_000).toISOString(),
  });
  const resend = (of: Tenant, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    of.test.post('/v1/messages/bulk-resend', body, headers);
  const correction = { to: DELIVERED };

  test('by ids corrects each message, reports those that cannot be resent, and archives the originals', async () => {
    const { tenant, batchId, ids } = await failures(3);
    const [first, second] = ids;
    const done = (await tenant.test.post('/v1/messages', sms(), keyed('done'))).body.id;
    await becomes(tenant.test, `/messages/${done}`, { status: 'delivered' }, WAIT);
    const items = [
      { id: first, correction },
      { id: done, correction },
      { id: second, correction },
    ];
    const again = await resend(tenant, { items: [...items, { id: NOBODY }] });
    expect(again).toMatchObject({ status: 202, body: { total: 4, accepted: 2, rejected: 2 } });
    expect(again.body.errors).toMatchObject([
      { index: 1, code: 'conflict' },
      { index: 3, code: 'not_found' },
    ]);
    await settled(tenant, again.body.batchId, { delivered: 2, failed: 0 });
    expect((await batchOf(tenant, batchId)).counts).toMatchObject({ failed: 1, archived: 2 });
    expect(await balanceOf(tenant.test)).toBe(OPENING - 6 * SMS);
    await addsUp(tenant);
  });

  test('by filter stores nothing in a dry run, then sends what matches, and a repeat finds nothing left', async () => {
    const { tenant, batchId } = await failures(5);
    const filter = { status: 'failed', batchId, campaignId: 'natal', ...window() };
    const before = await messaging.rowsOf('test', tenant.id);
    const rehearsed = await resend(tenant, { filter, correction, dryRun: true });
    expect(rehearsed.body).toMatchObject({ total: 5, accepted: 5, rejected: 0, price: { coins: 5 * SMS } });
    expect(await messaging.rowsOf('test', tenant.id)).toEqual(before);
    expect((await resend(tenant, { filter: { ...filter, errorCode: 'other' }, correction })).body.total).toBe(0);
    expect((await resend(tenant, { filter: { ...filter, channel: 'rcs' }, correction })).body.total).toBe(0);
    const sent = await resend(tenant, { filter, correction });
    expect(sent.body).toMatchObject({ total: 5, accepted: 5 });
    expect(sent.body).not.toHaveProperty('price');
    await settled(tenant, sent.body.batchId, { delivered: 5 });
    expect((await tenant.test.get('/messages', { batchId: sent.body.batchId })).body.total).toBe(5);
    expect((await resend(tenant, { filter, correction })).body).toMatchObject({ total: 0, accepted: 0 });
    await addsUp(tenant);
  });

  test('excludes opted-out recipients from the count and price of a dry run', async () => {
    const { tenant, ids } = await failures(2);
    await optedOut(tenant.test, { phone: FAILED });
    const errors = ids.map((_, index) => ({ index, code: 'invalid_request', message: 'The contact opted out.' }));
    const refused = { total: 2, accepted: 0, rejected: 2, errors };
    const filter = { status: 'failed', ...window() };
    expect((await resend(tenant, { filter, dryRun: true })).body).toMatchObject({ ...refused, price: { coins: 0 } });
    expect((await resend(tenant, { filter })).body).toMatchObject(refused);
  });

  test.each([
    ['neither items nor filter', {}, [['items', 'must be given, or filter: exactly one of the two']]],
    [
      'both of them',
      { items: [{ id: NOBODY }], filter: {} },
      [['items', 'must be given, or filter: exactly one of the two']],
    ],
    [
      "a filter's fields with items",
      { items: [{ id: NOBODY }], correction: {}, dryRun: true },
      [
        ['correction', 'goes with filter: each of items has its own'],
        ['dryRun', 'goes with filter only'],
      ],
    ],
  ])('with %s is refused with the fields', async (_, given, wrong) => {
    const tenant = await messaging.tenant();
    const body = 'filter' in given ? { ...given, filter: window() } : given;
    const refused = await resend(tenant, body);
    expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
    expect(refused.body.errors).toEqual(wrong.map(([path, message]) => ({ path, message })));
  });

  test('repeated with its key gets the first response, and without one sends nothing twice', async () => {
    const { tenant, ids } = await failures(2);
    const items = ids.map((id) => ({ id, correction }));
    const key = keyed('again');
    expect((await resend(tenant, { items }, key)).body).toMatchObject({ accepted: 2 });
    expect((await resend(tenant, { items }, key)).body).toMatchObject({ accepted: 2, rejected: 0 });
    expect((await resend(tenant, { items })).body).toMatchObject({ accepted: 0, rejected: 2 });
    expect(await balanceOf(tenant.test)).toBe(OPENING - 4 * SMS);
    await addsUp(tenant);
  });

  test('of a queued message releases its hold immediately, while the rest of its chunk waits', async () => {
    const tenant = await messaging.tenant();
    const scheduledAt = new Date(Date.now() + 15_000).toISOString();
    const messages = many(2, () => ({ scheduledAt }));
    const sent = await bulk(tenant, messages);
    const [waiting] = (await tenant.test.get('/messages', { batchId: sent.body.batchId })).body.items;
    expect((await resend(tenant, { items: [{ id: waiting.id }] })).body.accepted).toBe(1);
    expect(await balanceOf(tenant.test)).toBe(OPENING - 2 * SMS);
    expect((await batchOf(tenant, sent.body.batchId)).counts).toMatchObject({ queued: 1, archived: 1 });
    await settled(tenant, sent.body.batchId, { delivered: 1, archived: 1 });
    await becomes(tenant.test, '/v2/wallet', { balanceCoins: OPENING - 2 * SMS }, WAIT);
    await addsUp(tenant);
  });
});

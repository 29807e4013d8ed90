import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { startMessaging, type Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';

const DELIVERED = '+5511999990005';
const FAILED = '+5511999990008';
const SILENT = '+5511999990099';
const TEXT = 'Seu pedido saiu para entrega.';
const WAIT = { timeout: 40_000, interval: 200 };

let tenant: Tenant;
/** Whom nothing is ever accepted of. */
let refusedOnly: Tenant;
const messaging = await use(startMessaging());
beforeAll(async () => {
  [tenant, refusedOnly] = [await messaging.tenant(), await messaging.tenant()];
});

const send = (body: Readonly<Record<string, unknown>>, key: string = randomUUID(), of = tenant) =>
  of.test.post('/v1/messages', { channel: 'sms', to: DELIVERED, text: TEXT, ...body }, { 'idempotency-key': key });
const read = async (id: string, of = tenant) => (await of.test.get(`/v2/sms/messages/${id}`)).body;
const eventsOf = async (of: Tenant, type: string) =>
  (await messaging.eventsOf('test', of.id)).filter((event) => event.type === type);
const balanceOf = async (of: Tenant) => (await of.test.get('/v2/wallet')).body.balanceCoins as number;

describe.concurrent('a send of the overview contract', { timeout: 180_000 }, () => {
  test('is accepted with its price, band and balance, and then leaves by itself', async () => {
    const fresh = await messaging.tenant();
    const sent = await send({}, 'one', fresh);
    expect(sent).toMatchObject({
      status: 202,
      body: {
        status: 'queued',
        channel: 'sms',
        env: 'test',
        replayed: false,
        price: { coins: 800 },
        volumeBand: { index: 0, from: 1, upTo: 100_000 },
        wallet: { balanceCoins: 10_000_000 - 800 },
      },
    });
    await vi.waitFor(async () => expect((await read(sent.body.id, fresh)).status).toBe('delivered'), WAIT);
    expect((await eventsOf(fresh, 'message.queued')).map(({ data }) => data.id)).toEqual([sent.body.id]);
    expect((await eventsOf(fresh, 'sms.delivered')).map(({ data }) => data.id)).toEqual([sent.body.id]);
    await checkMoney(messaging.tables.test, fresh.id);
  });

  test('answers a repeat of its key with the same message, and another body with 409', async () => {
    const first = await send({}, 'repeat');
    const { wallet: _, replayed: __, ...same } = first.body;
    expect((await send({}, 'repeat')).body).toMatchObject({ ...same, replayed: true });
    expect(await send({ text: 'Outro' }, 'repeat')).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  test.each([
    [{ to: '+55119' }, 400, 'invalid_phone'],
    [{ channel: 'email', to: 'nobody' }, 400, 'invalid_recipient'],
    [{ channel: 'whatsapp' }, 409, 'window_closed'],
    [{ text: undefined }, 422, 'invalid_request'],
    [{ fallback: ['email'] }, 422, 'invalid_recipient'],
    [{ fallback: [{ channel: 'sms', to: '12' }] }, 400, 'invalid_phone'],
    [{ fallback_after: '10' }, 422, 'invalid_request'],
    [{ maxCoins: 10 }, 412, 'precondition_failed'],
    [{ scheduledAt: '2031-01-01T00:00:00Z' }, 422, 'invalid_request'],
  ])('refuses %j with %i and the code %s, with an action, and takes nothing', async (fields, status, code) => {
    const refused = await send(fields, randomUUID(), refusedOnly);
    expect(refused).toMatchObject({ status, body: { code, action: expect.any(String), status } });
    expect(await balanceOf(refusedOnly)).toBe(10_000_000);
  });

  test('in live is refused for lack of funds, and with funds for the provider that is not set up', async () => {
    const body = { channel: 'sms', to: DELIVERED, text: TEXT };
    const [poor, rich] = [await messaging.tenant(), await messaging.tenant({ live: 10_000 })];
    const live = (of: Tenant) => of.live.post('/v1/messages', body, { 'idempotency-key': 'live' });
    expect(await live(poor)).toMatchObject({ status: 402, body: { code: 'insufficient_funds' } });
    const unset = await live(rich);
    expect(unset).toMatchObject({ status: 502, body: { code: 'provider_failed' } });
    expect(unset.body.detail).toContain('provider set');
    expect((await rich.live.get('/v2/wallet')).body.balanceCoins).toBe(10_000);
  });

  test.each(['whatsapp', 'rcs', 'push', 'instagram'])('is carried on %s by the sandbox', async (channel) => {
    const fields = channel === 'whatsapp' ? { text: undefined, template: 'pedido' } : {};
    const sent = await send({ channel, ...fields });
    expect(sent).toMatchObject({ status: 202, body: { channel } });
    await vi.waitFor(async () => {
      const { body } = await tenant.test.get(`/messages/${sent.body.id}`);
      expect(body.status).toBe(channel === 'instagram' ? 'delivered' : 'delivered');
    }, WAIT);
  });
});

describe.concurrent('a fallback', { timeout: 240_000 }, () => {
  const hop = async (of: Tenant, fallbackId: string) =>
    (await eventsOf(of, 'message.queued')).find(({ data }) => data.fallbackOf === fallbackId);

  test('is taken at once when the first way failed; both are billed at their own rate, each with its events', async () => {
    const fresh = await messaging.tenant();
    const sent = await send(
      { to: FAILED, fallback: [{ channel: 'rcs', to: DELIVERED }], fallback_after: '2h' },
      'f',
      fresh,
    );
    expect(sent.body.fallback).toEqual([{ channel: 'rcs', after: '7200s', price: { coins: 1_200 } }]);
    const kept = await messaging.tables.test.get(KEYS.message(sent.body.id));
    expect(kept?.fallbackCoins).toEqual([1_200]);
    await vi.waitFor(async () => expect(await hop(fresh, sent.body.id)).toBeDefined(), WAIT);
    const second = (await hop(fresh, sent.body.id))?.data.id;
    await vi.waitFor(async () => {
      expect((await fresh.test.get(`/v2/rcs/messages/${String(second)}`)).body).toMatchObject({ status: 'delivered' });
    }, WAIT);
    expect(await eventsOf(fresh, 'sms.failed')).toHaveLength(1);
    expect(await eventsOf(fresh, 'rcs.delivered')).toHaveLength(1);
    expect(await balanceOf(fresh)).toBe(10_000_000 - 800 - 1_200);
    await vi.waitFor(() => checkMoney(messaging.tables.test, fresh.id), WAIT);
  });

  test('of a suppressed address is shown as refused, where a send is accepted, fails for the same reason and charges nothing', async () => {
    const fresh = await messaging.tenant();
    const mail = { channel: 'email', to: 'suppressionlist@simulator.amazonses.com' };
    const { body: plan } = await fresh.test.post('/v1/messages/preview', { ...mail, text: TEXT });
    expect(plan.hops).toMatchObject([{ refusal: { code: 'invalid_request', reason: 'suppressed' } }]);
    const sent = await send(mail, 'suppressed', fresh);
    expect(sent).toMatchObject({ status: 202, body: { status: 'queued' } });
    await vi.waitFor(async () => {
      const { body } = await fresh.test.get(`/messages/${sent.body.id}`);
      expect(body).toMatchObject({ status: 'failed', reason: 'suppressed' });
    }, WAIT);
    expect(await balanceOf(fresh)).toBe(10_000_000);
    await vi.waitFor(() => checkMoney(messaging.tables.test, fresh.id), WAIT);
  });

  test('follows an e-mail that never left, whose failure is told by an event as every attempt is', async () => {
    const fresh = await messaging.tenant();
    const to = 'suppressionlist@simulator.amazonses.com';
    const sent = await send({ channel: 'email', to, fallback: [{ channel: 'sms', to: DELIVERED }] }, 'e', fresh);
    await vi.waitFor(async () => expect(await hop(fresh, sent.body.id)).toBeDefined(), WAIT);
    expect((await eventsOf(fresh, 'message.failed')).map(({ data }) => data)).toMatchObject([
      { id: sent.body.id, channel: 'email', status: 'failed', reason: 'suppressed' },
    ]);
    await vi.waitFor(() => checkMoney(messaging.tables.test, fresh.id), WAIT);
  });

  test('is taken when the wait is over and nothing was reported', async () => {
    const fresh = await messaging.tenant();
    const sent = await send({ to: SILENT, fallback: [{ channel: 'sms', to: DELIVERED, after: '10s' }] }, 's', fresh);
    await vi.waitFor(async () => expect(await hop(fresh, sent.body.id)).toBeDefined(), WAIT);
    await vi.waitFor(() => checkMoney(messaging.tables.test, fresh.id), WAIT);
  });

  test('is never taken once the first way delivered', async () => {
    const fresh = await messaging.tenant();
    const sent = await send({ fallback: [{ channel: 'rcs', after: '10s' }] }, 'd', fresh);
    await vi.waitFor(async () => expect((await read(sent.body.id, fresh)).status).toBe('delivered'), WAIT);
    const fallback = await messaging.tables.test.get({ pk: `MSG#${sent.body.id}`, sk: 'CHAIN' });
    expect(fallback).toMatchObject({ state: 'delivered' });
    expect(fallback).not.toHaveProperty('dueAt');
    expect(fallback).not.toHaveProperty('steps');
    expect(await eventsOf(fresh, 'message.queued')).toHaveLength(1);
  });

  test('that would cost more than its maxCoins is left out, and the next is taken', async () => {
    const fresh = await messaging.tenant();
    const fallback = [
      { channel: 'rcs', maxCoins: 1_000 },
      { channel: 'sms', to: DELIVERED },
    ];
    const sent = await send({ to: FAILED, fallback, priority: 'critical' }, 'm', fresh);
    await vi.waitFor(async () => expect((await hop(fresh, sent.body.id))?.data.channel).toBe('sms'), WAIT);
    const timeline = await fresh.test.get(`/messages/${sent.body.id}/timeline`);
    expect(JSON.stringify(timeline.body)).toContain('left out');
    const taken = (await hop(fresh, sent.body.id))?.data.id;
    expect((await fresh.test.get(`/messages/${String(taken)}`)).body.priority).toBe('critical');
    await vi.waitFor(() => checkMoney(messaging.tables.test, fresh.id), WAIT);
  });
});

describe('a live send that nothing may carry', () => {
  test('is refused for the recipient and the funds first: the provider is the last that is asked', async () => {
    const [funded, poor] = [await messaging.tenant({ live: 10_000 }), await messaging.tenant()];
    const { body: contact } = await funded.live.post('/contacts', { phone: DELIVERED });
    await funded.live.post(`/contacts/${contact.id}/opt-out`, {});
    const outcome = async (of: Tenant, to: string) => {
      const body = { channel: 'sms', to, text: TEXT };
      const { body: plan } = await of.live.post('/v1/messages/preview', body);
      const sent = await of.live.post('/v1/messages', body, { 'idempotency-key': randomUUID() });
      expect(plan.hops[0].refusal).toMatchObject({ code: sent.body.code, detail: sent.body.detail });
      return [sent.status, sent.body.code, sent.body.meta?.motivo];
    };
    expect(await outcome(funded, DELIVERED)).toEqual([422, 'invalid_request', 'opt_out']);
    expect(await outcome(poor, DELIVERED)).toEqual([402, 'insufficient_funds', undefined]);
    expect(await outcome(funded, SILENT)).toEqual([502, 'provider_failed', undefined]);
  });
});

describe('a send plan', () => {
  const preview = (body: Readonly<Record<string, unknown>>, of = tenant) =>
    of.test.post('/v1/messages/preview', { channel: 'sms', to: DELIVERED, text: TEXT, ...body });

  test('tells every way, its price and departure, and takes and stores nothing', async () => {
    const fresh = await messaging.tenant();
    const plan = await preview({ fallback: ['rcs'], fallback_after: '30s' }, fresh);
    expect(plan).toMatchObject({
      status: 200,
      body: {
        price: { coins: 800, atMostCoins: 2_000 },
        wallet: { balanceCoins: 10_000_000 },
        hops: [
          {
            channel: 'sms',
            route: 'premium',
            after: '0s',
            units: 1,
            price: { coins: 800 },
            provider: 'sandbox_provider',
          },
          { channel: 'rcs', route: 'easy_rcs', after: '30s', price: { coins: 1_200 } },
        ],
      },
    });
    expect(await balanceOf(fresh)).toBe(10_000_000);
    expect((await fresh.test.get('/v2/sms/messages')).body.total).toBe(0);
  });

  test('tells why a way would be refused', async () => {
    const fresh = await messaging.tenant();
    const { body: contact } = await fresh.test.post('/contacts', { phone: DELIVERED });
    await fresh.test.post(`/contacts/${contact.id}/opt-out`, {});
    const { body } = await preview({ fallback: [{ channel: 'rcs', maxCoins: 5 }] }, fresh);
    expect(body.hops[0].refusal).toMatchObject({ code: 'invalid_request', action: expect.any(String) });
    expect(body.hops[1].refusal).toBeDefined();
    expect((await preview({ channel: 'whatsapp' })).body.hops[0].refusal).toMatchObject({ code: 'window_closed' });
  });

  test('tells a price over its limit before an opt-out, as the send does', async () => {
    const fresh = await messaging.tenant();
    const { body: contact } = await fresh.test.post('/contacts', { phone: DELIVERED });
    await fresh.test.post(`/contacts/${contact.id}/opt-out`, {});
    const { body: plan } = await preview({ maxCoins: 5 }, fresh);
    const { body: refused } = await send({ maxCoins: 5 }, 'dear', fresh);
    expect(plan.hops[0].refusal).toMatchObject({ code: 'precondition_failed', detail: refused.detail });
    expect(refused.code).toBe('precondition_failed');
  });

  test('has each fallback leave after the wait for the way before it, from its schedule on', async () => {
    const at = Date.now() + 3600_000;
    const fallback = [
      { channel: 'rcs', after: '10m' },
      { channel: 'sms', after: '1h' },
    ];
    const { body } = await preview({ scheduledAt: new Date(at).toISOString(), fallback });
    const leaves = body.hops.map(({ leavesAt }: { leavesAt: string }) => Date.parse(leavesAt) - at);
    expect(leaves).toEqual([0, 600_000, 4_200_000]);
  });

  test('tells departures by quiet hours that were just set, as the send will meet them', async () => {
    const fresh = await messaging.tenant();
    const leavesAt = async () => Date.parse((await preview({}, fresh)).body.hops[0].leavesAt);
    expect((await leavesAt()) - Date.now()).toBeLessThan(60_000);
    const clock = (by: number) => new Date(Date.now() + by).toISOString().slice(11, 16);
    const quiet = { inicio: clock(-3600_000), fim: clock(3600_000), timeZone: 'UTC', channels: ['sms'] };
    expect((await fresh.test.call('PUT', '/v2/organizations/me/quiet-hours', { body: quiet })).status).toBe(200);
    expect((await leavesAt()) - Date.now()).toBeGreaterThan(3500_000);
  });
});

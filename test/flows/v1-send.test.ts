import { describe, expect, test, vi } from 'vitest';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Answer, Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { balanceOf, becomes, keyed, optedOut, registerDevice, setQuietHours } from './support.ts';

const DELIVERED = '+5511999990005';
const FAILED = '+5511999990008';
const SILENT = '+5511999990099';
const REFUSED = '+5511999990114';
const TEXT = 'Seu pedido saiu para entrega.';
const WAIT = { timeout: 45_000, interval: 200 };

const messaging = await sharedMessaging();
const tenant = await messaging.tenant({ takesEvents: true });
/** A tenant all of whose sends are refused. */
const refusedOnly = await messaging.tenant({ takesEvents: true });

const send = (body: Readonly<Record<string, unknown>>, key?: string, of = tenant) =>
  of.test.post('/v1/messages', { channel: 'sms', to: DELIVERED, text: TEXT, ...body }, keyed(key));
const eventsOf = async (of: Tenant, type: string) =>
  (await messaging.eventsOf('test', of.id)).filter((event) => event.type === type);

describe.concurrent('POST /v1/messages', { timeout: 180_000 }, () => {
  test('is accepted with price, band and balance, and sent in the background', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
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
    await becomes(fresh.test, `/v2/sms/messages/${sent.body.id}`, { status: 'delivered' }, WAIT);
    expect((await eventsOf(fresh, 'message.queued')).map(({ data }) => data.id)).toEqual([sent.body.id]);
    expect((await eventsOf(fresh, 'sms.delivered')).map(({ data }) => data.id)).toEqual([sent.body.id]);
    await checkMoney(messaging.tables.test, fresh.id);
  });

  test('replays a repeated key, and answers another body with 409', async () => {
    const first = await send({}, 'repeat');
    await send({});
    expect((await send({}, 'repeat')).body).toEqual({ ...first.body, replayed: true });
    expect(await send({ text: 'Outro' }, 'repeat')).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  test('that its provider refuses later is answered as it was accepted when it is repeated, and is not sent again', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
    const first = await send({ to: REFUSED }, 'refused', fresh);
    await becomes(fresh.test, `/messages/${first.body.id}`, { status: 'failed' }, WAIT);
    expect(await send({ to: REFUSED }, 'refused', fresh)).toMatchObject({
      status: 202,
      body: { ...first.body, replayed: true },
    });
    expect((await fresh.test.get('/messages')).body.total).toBe(1);
  });

  test.each([
    [{ to: '+55119' }, 400, 'invalid_phone'],
    [{ channel: 'email', to: 'nobody' }, 400, 'invalid_recipient'],
    [{ channel: 'whatsapp' }, 409, 'window_closed'],
    [{ text: undefined }, 422, 'invalid_request'],
    [{ fallback: [{ channel: 'sms', to: '12' }] }, 400, 'invalid_phone'],
    [{ fallback_after: '10' }, 422, 'invalid_request'],
    [{ maxCoins: 10 }, 412, 'precondition_failed'],
    [{ scheduledAt: '2031-01-01T00:00:00Z' }, 422, 'invalid_request'],
  ])('refuses %j with %i, the code %s and an action, and charges nothing', async (fields, status, code) => {
    const refused = await send(fields, undefined, refusedOnly);
    expect(refused).toMatchObject({ status, body: { code, action: expect.any(String), status } });
    expect(await balanceOf(refusedOnly.test)).toBe(10_000_000);
  });

  test('in live is refused for lack of funds, and with funds for lack of a provider', async () => {
    const body = { channel: 'sms', to: DELIVERED, text: TEXT };
    const [poor, rich] = [await messaging.tenant({ takesEvents: true }), await messaging.tenant({ live: 10_000 })];
    const live = (of: Tenant) => of.live.post('/v1/messages', body, keyed());
    expect(await live(poor)).toMatchObject({ status: 402, body: { code: 'insufficient_funds' } });
    const unset = await live(rich);
    expect(unset).toMatchObject({ status: 502, body: { code: 'provider_failed' } });
    expect(unset.body.detail).toContain('provider set');
    expect(await balanceOf(rich.live)).toBe(10_000);
  });

  test.each(['whatsapp', 'rcs', 'push', 'instagram'])('sends on %s through the sandbox', async (channel) => {
    const fields = channel === 'whatsapp' ? { text: undefined, template: 'pedido' } : {};
    if (channel === 'push') await registerDevice(tenant.test, DELIVERED);
    const sent = await send({ channel, ...fields });
    expect(sent).toMatchObject({ status: 202, body: { channel } });
    const status = channel === 'push' ? 'sent' : 'delivered';
    await becomes(tenant.test, `/messages/${sent.body.id}`, { status }, WAIT);
  });
});

describe.concurrent('a fallback', { timeout: 240_000 }, () => {
  /** Waits for the event of the message that a fallback makes; answers its data. */
  const nextStep = (of: Tenant, { body }: Answer) =>
    vi.waitFor(async () => {
      const event = (await eventsOf(of, 'message.queued')).find(({ data }) => data.fallbackOf === body.id);
      if (!event) throw new Error('There is no message of the fallback yet.');
      return event.data;
    }, WAIT);
  const moneySettles = ({ id }: Tenant) => vi.waitFor(() => checkMoney(messaging.tables.test, id), WAIT);

  test('is sent immediately when the first message failed; both are billed at their own price and raise their events', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
    const sent = await send(
      { to: FAILED, fallback: [{ channel: 'rcs', to: DELIVERED }], fallback_after: '2h' },
      'f',
      fresh,
    );
    expect(sent.body.fallback).toEqual([{ channel: 'rcs', after: '7200s', price: { coins: 1_200 } }]);
    const stored = await messaging.tables.test.get(KEYS.message(sent.body.id));
    expect(stored?.fallbackCoins).toEqual([1_200]);
    const { id } = await nextStep(fresh, sent);
    await becomes(fresh.test, `/v2/rcs/messages/${String(id)}`, { status: 'delivered' }, WAIT);
    expect(await eventsOf(fresh, 'sms.failed')).toHaveLength(1);
    expect(await eventsOf(fresh, 'rcs.delivered')).toHaveLength(1);
    expect(await balanceOf(fresh.test)).toBe(10_000_000 - 800 - 1_200);
    await moneySettles(fresh);
  });

  test('after a refusal by the provider is sent and billed once, however often its key is repeated', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
    const body = { to: REFUSED, fallback: [{ channel: 'sms', to: DELIVERED }] };
    const sent = await send(body, 'twice', fresh);
    const { id } = await nextStep(fresh, sent);
    await becomes(fresh.test, `/messages/${String(id)}`, { status: 'delivered' }, WAIT);
    expect((await send(body, 'twice', fresh)).body).toEqual({ ...sent.body, replayed: true });
    expect((await fresh.test.get('/messages')).body.total).toBe(2);
    expect(await balanceOf(fresh.test)).toBe(10_000_000 - 800);
    await moneySettles(fresh);
  });

  test('to a suppressed address is refused in a preview; a send is accepted, fails for the same reason and is not charged', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
    const mail = { channel: 'email', to: 'suppressionlist@simulator.amazonses.com' };
    const { body: plan } = await fresh.test.post('/v1/messages/preview', { ...mail, text: TEXT });
    expect(plan.hops).toMatchObject([{ refusal: { code: 'invalid_request', reason: 'suppressed' } }]);
    const sent = await send(mail, 'suppressed', fresh);
    expect(sent).toMatchObject({ status: 202, body: { status: 'queued' } });
    await becomes(fresh.test, `/messages/${sent.body.id}`, { status: 'failed', reason: 'suppressed' }, WAIT);
    expect(await balanceOf(fresh.test)).toBe(10_000_000);
    await moneySettles(fresh);
  });

  test('follows an e-mail that was never sent, whose failure raises an event like every attempt', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
    const to = 'suppressionlist@simulator.amazonses.com';
    const sent = await send({ channel: 'email', to, fallback: [{ channel: 'sms', to: DELIVERED }] }, 'e', fresh);
    await nextStep(fresh, sent);
    expect((await eventsOf(fresh, 'message.failed')).map(({ data }) => data)).toMatchObject([
      { id: sent.body.id, channel: 'email', status: 'failed', reason: 'suppressed' },
    ]);
    await moneySettles(fresh);
  });

  test('is sent when its wait is over without a report', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
    const sent = await send({ to: SILENT, fallback: [{ channel: 'sms', to: DELIVERED, after: '10s' }] }, 's', fresh);
    await nextStep(fresh, sent);
    await moneySettles(fresh);
  });

  test('is never sent once the first message is delivered', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
    const sent = await send({ fallback: [{ channel: 'rcs', after: '10m' }] }, 'd', fresh);
    await becomes(fresh.test, `/v2/sms/messages/${sent.body.id}`, { status: 'delivered' }, WAIT);
    const fallback = await messaging.tables.test.get({ pk: `MSG#${sent.body.id}`, sk: 'CHAIN' });
    expect(fallback).toMatchObject({ state: 'delivered' });
    expect(fallback).not.toHaveProperty('dueAt');
    expect(fallback).not.toHaveProperty('steps');
    expect(await eventsOf(fresh, 'message.queued')).toHaveLength(1);
  });

  test('that would cost more than its maxCoins is skipped for the next', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
    const fallback = [
      { channel: 'rcs', maxCoins: 1_000 },
      { channel: 'sms', to: DELIVERED },
    ];
    const sent = await send({ to: FAILED, fallback, priority: 'critical' }, 'm', fresh);
    const taken = await nextStep(fresh, sent);
    expect(taken.channel).toBe('sms');
    const timeline = await fresh.test.get(`/messages/${sent.body.id}/timeline`);
    expect(JSON.stringify(timeline.body)).toContain('skipped: ');
    expect((await fresh.test.get(`/messages/${String(taken.id)}`)).body.priority).toBe('critical');
    await moneySettles(fresh);
  });
});

test('a live send without a provider is refused for its recipient and funds first: the provider is checked last', async () => {
  const [funded, poor] = [await messaging.tenant({ live: 10_000 }), await messaging.tenant({ takesEvents: true })];
  await optedOut(funded.live, { phone: DELIVERED });
  const outcome = async (of: Tenant, to: string) => {
    const body = { channel: 'sms', to, text: TEXT };
    const { body: plan } = await of.live.post('/v1/messages/preview', body);
    const sent = await of.live.post('/v1/messages', body, keyed());
    expect(plan.hops[0].refusal).toMatchObject({ code: sent.body.code, detail: sent.body.detail });
    return [sent.status, sent.body.code, sent.body.meta?.motivo];
  };
  expect(await outcome(funded, DELIVERED)).toEqual([422, 'invalid_request', 'opt_out']);
  expect(await outcome(poor, DELIVERED)).toEqual([402, 'insufficient_funds', undefined]);
  expect(await outcome(funded, SILENT)).toEqual([502, 'provider_failed', undefined]);
});

describe('a preview', () => {
  const preview = (body: Readonly<Record<string, unknown>>, of = tenant) =>
    of.test.post('/v1/messages/preview', { channel: 'sms', to: DELIVERED, text: TEXT, ...body });

  test('shows every step with its price and time, and charges and stores nothing', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
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
    expect(await balanceOf(fresh.test)).toBe(10_000_000);
    expect((await fresh.test.get('/v2/sms/messages')).body.total).toBe(0);
  });

  test('shows why a step would be refused', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
    await optedOut(fresh.test, { phone: DELIVERED });
    const { body } = await preview({ fallback: [{ channel: 'rcs', maxCoins: 5 }] }, fresh);
    expect(body.hops[0].refusal).toMatchObject({ code: 'invalid_request', action: expect.any(String) });
    expect(body.hops[1].refusal).toBeDefined();
    expect((await preview({ channel: 'whatsapp' })).body.hops[0].refusal).toMatchObject({ code: 'window_closed' });
  });

  test('reports a price over its limit before an opt-out, as the send does', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
    await optedOut(fresh.test, { phone: DELIVERED });
    const { body: plan } = await preview({ maxCoins: 5 }, fresh);
    const { body: refused } = await send({ maxCoins: 5 }, 'expensive', fresh);
    expect(plan.hops[0].refusal).toMatchObject({ code: 'precondition_failed', detail: refused.detail });
    expect(refused.code).toBe('precondition_failed');
  });

  test('adds up the waits of the fallbacks, starting at its schedule', async () => {
    const at = Date.now() + 3600_000;
    const fallback = [
      { channel: 'rcs', after: '10m' },
      { channel: 'sms', after: '1h' },
    ];
    const { body } = await preview({ scheduledAt: new Date(at).toISOString(), fallback });
    const delays = body.hops.map(({ leavesAt }: { leavesAt: string }) => Date.parse(leavesAt) - at);
    expect(delays).toEqual([0, 600_000, 4_200_000]);
  });

  test('applies quiet hours as soon as they are set, as the send will', async () => {
    const fresh = await messaging.tenant({ takesEvents: true });
    const leavesAt = async () => Date.parse((await preview({}, fresh)).body.hops[0].leavesAt);
    expect((await leavesAt()) - Date.now()).toBeLessThan(60_000);
    await setQuietHours(fresh.test, ['sms']);
    expect((await leavesAt()) - Date.now()).toBeGreaterThan(3500_000);
  });
});

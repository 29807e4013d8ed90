import { describe, expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import { saoPauloMonth } from '../../shared/domain/core/time.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { putPrices } from '../../shared/storage/wallet/prices.ts';
import { monthNames } from '../../shared/storage/wallet/volumes.ts';
import { type Client, startMessaging, type Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { use } from '../support/use.ts';
import { smsPrices, walletOf } from './support.ts';

const OPENING = 10_000_000;
/** Bands that a few segments reach, and a route of which two segments empty a test wallet. */
const PRICES = smsPrices(
  [
    [10, 100],
    [12, 70],
    [null, 40],
  ],
  OPENING / 2,
);
const SINCE = '2020-01-01T00:00:00.000Z';
const SEGMENTS = (count: number) => 'a'.repeat(count === 1 ? 1 : count * 152);

const messaging = await use(
  startMessaging({
    beforeReady: ({ tables }) =>
      Promise.all([putPrices(tables.live, SINCE, PRICES), putPrices(tables.test, SINCE, PRICES)]),
  }),
);
const tenant = await messaging.tenant();

const warnings = async (env: 'live' | 'test', { id }: Tenant) =>
  (await messaging.eventsOf(env, id))
    .filter(({ type }) => type.startsWith('wallet.'))
    .map(({ type, data }) => ({ type, data }));
const setLow = (client: Client, lowBalanceCoins: unknown) =>
  client.call('PATCH', '/v2/wallet', { body: { lowBalanceCoins } });
/** Sets the live segments of this month. */
const setVolume = ({ id }: Tenant, segments: number) =>
  messaging.tables.live.write({
    update: KEYS.wallet(id as Id<'organization'>),
    set: { [monthNames('sms', saoPauloMonth(Date.now())).taken]: segments },
  });

describe('the price table', () => {
  test('is read as the operator set it, with the start of each band', async () => {
    const premium = [
      { index: 0, from: 1, upTo: 10, coins: 100 },
      { index: 1, from: 11, upTo: 12, coins: 70 },
      { index: 2, from: 13, upTo: null, coins: 40 },
    ];
    const one = { index: 0, from: 1, upTo: null };
    const items = [
      { channel: 'sms', route: 'premium', unit: 'segment', bands: premium },
      { channel: 'sms', route: 'otp', unit: 'segment', bands: [{ ...one, coins: OPENING / 2 }] },
      { channel: 'sms', route: 'reply', unit: 'reply', bands: [{ ...one, coins: 200 }] },
    ];
    const { status, body } = await tenant.test.get('/v2/prices');
    expect({ status, body }).toEqual({ status: 200, body: { effectiveFrom: SINCE, items } });
  });

  test.each([
    [0, 10, 1_000],
    [9, 1, 100],
    [10, 1, 70],
    [8, 3, 270],
    [8, 6, 2 * 100 + 2 * 70 + 2 * 40],
    [12, 2, 80],
  ])(
    'prices each segment by its position: %i live segments before, %i in the message',
    async (before, segments, coins) => {
      const other = await messaging.tenant();
      await setVolume(other, before);
      const body = SEGMENTS(segments);
      const preview = await other.test.post('/v2/sms/preview', { body, route: 'premium' });
      const sent = await other.test.send({ body });
      expect([preview.body.segments, preview.body.billing, sent.body.billing]).toEqual([
        segments,
        { coins },
        { coins },
      ]);
      expect((await walletOf(other.test)).balanceCoins).toBe(OPENING - coins);
    },
  );

  test('prices the preview of a live send, even before the first send', async () => {
    const other = await messaging.tenant();
    await setVolume(other, 11);
    const body = { channel: 'sms', to: '+5511999990005', text: 'Oi' };
    const plan = await other.live.post('/v1/messages/preview', body);
    expect(plan.body.hops[0]).toMatchObject({ price: { coins: 70 }, volumeBand: { index: 1, from: 11, upTo: 12 } });
  });

  test('is not affected by sandbox sends: the band is that of live', async () => {
    const other = await messaging.tenant();
    await setVolume(other, 9);
    for (let turn = 0; turn < 3; turn++) expect((await other.test.send()).body.billing).toEqual({ coins: 100 });
    const [band] = (await walletOf(other.test)).bands;
    expect(band).toMatchObject({
      channel: 'sms',
      route: 'premium',
      segments: 9,
      month: saoPauloMonth(Date.now()),
      band: { index: 0, from: 1, upTo: 10, coins: 100 },
    });
  });
});

describe('the wallet', () => {
  test('is one per environment, with every field', async () => {
    const other = await messaging.tenant({ live: 5_000 });
    const [test_, live] = await Promise.all([walletOf(other.test), walletOf(other.live)]);
    expect(test_).toEqual({
      env: 'test',
      balanceCoins: OPENING,
      heldCoins: 0,
      currency: 'BRL',
      coinValue: '0.0001',
      lowBalanceCoins: 50_000,
      bands: expect.any(Array),
    });
    expect(test_.bands.map(({ route }: { route: string }) => route)).toEqual(['premium', 'otp']);
    expect(live).toMatchObject({ env: 'live', balanceCoins: 5_000 });
    await other.test.send();
    expect((await walletOf(other.live)).balanceCoins).toBe(5_000);
  });

  test('equals the sum of its entries, each with the balance after it', async () => {
    const other = await messaging.tenant();
    const sent = await Promise.all(Array.from({ length: 5 }, () => other.test.send()));
    await other.test.send({ to: '+5511999990114' });
    const { items, nextCursor } = (await other.test.get('/v2/wallet/entries')).body;
    expect(nextCursor).toBeNull();
    const sum = (kind?: string) =>
      items.reduce(
        (total: number, entry: { kind: string; coins: number }) =>
          total + (kind && entry.kind !== kind ? 0 : entry.coins),
        0,
      );
    expect([sum(), sum('credit'), sum('hold'), sum('capture'), sum('release')]).toEqual([
      OPENING - 500,
      OPENING,
      -600,
      0,
      100,
    ]);
    expect(items.at(-1)).toEqual({
      id: expect.stringMatching(/^ent_/),
      kind: 'credit',
      coins: OPENING,
      balanceCoins: OPENING,
      heldCoins: 0,
      description: 'Opening credit',
      createdAt: expect.any(String),
    });
    for (const [at, entry] of items.slice(0, -1).entries())
      expect(entry.balanceCoins - entry.coins).toBe(items[at + 1].balanceCoins);
    expect(items[0]).toMatchObject({ kind: 'release', balanceCoins: OPENING - 500, heldCoins: 0 });
    const captured = items
      .filter(({ kind }: { kind: string }) => kind === 'capture')
      .map(({ messageId }: { messageId: string }) => messageId);
    expect(captured.sort()).toEqual(sent.map(({ body }) => body.id).sort());
    await checkMoney(messaging.tables.test, other.id);
  });

  test('pages its entries newest first, without a gap or a repeat', async () => {
    const other = await messaging.tenant();
    for (let turn = 0; turn < 3; turn++) await other.test.send();
    const whole = (await other.test.get('/v2/wallet/entries')).body.items;
    const paged = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await other.test.get('/v2/wallet/entries', { limit: 2, ...(cursor ? { cursor } : {}) });
      paged.push(...body.items);
      cursor = body.nextCursor;
    }
    expect(paged).toEqual(whole);
    expect(whole).toHaveLength(7);
  });

  test('refuses an invalid page: 400, as documented for the list', async () => {
    for (const query of [
      { limit: 0 },
      { limit: 201 },
      { limit: '-1' },
      { limit: '1.5' },
      { cursor: 'x' },
      { cursor: '' },
      { skip: 1 },
    ] as Record<string, string>[])
      expectProblem(await tenant.test.get('/v2/wallet/entries', query), 400);
    expect((await tenant.test.get('/v2/wallet/entries', { limit: 200 })).status).toBe(200);
  });
});

describe('an empty wallet', () => {
  test('pays to the last coin, then is 402 without storing the send, and the key stays free', async () => {
    const other = await messaging.tenant();
    for (const left of [OPENING / 2, 0]) {
      expect((await other.test.send({ route: 'otp' })).status).toBe(201);
      expect((await walletOf(other.test)).balanceCoins).toBe(left);
    }
    const before = await messaging.rowsOf('test', other.id);
    expectProblem(await other.test.send({}, 'dry'), 402);
    const others = (rows: typeof before) => rows.filter(({ pk }) => !pk.startsWith('EVT#') && !pk.startsWith('MSG#'));
    expect(others(await messaging.rowsOf('test', other.id))).toEqual(others(before));
    expect((await other.test.get('/v2/sms/messages')).body.total).toBe(2);
    await messaging.credit('test', other.id, 100);
    expect((await other.test.send({ body: 'Outro' }, 'dry')).body.replayed).toBe(false);
  });

  test('pays for nothing beyond its balance, even right after its threshold was set', async () => {
    const other = await messaging.tenant();
    await messaging.credit('live', other.id, 99);
    expect((await setLow(other.live, 50_000)).status).toBe(200);
    expectProblem(await other.live.send(), 402);
    expect(await checkMoney(messaging.tables.live, other.id)).toMatchObject({ balance: 99, messages: [] });
  });

  test('raises wallet.depleted once, and again only after a credit', async () => {
    const other = await messaging.tenant();
    await setLow(other.test, 0);
    for (let turn = 0; turn < 4; turn++) await other.test.send({ route: 'otp' });
    const depleted = { type: 'wallet.depleted', data: { balanceCoins: 0, lowBalanceCoins: 0 } };
    expect(await warnings('test', other)).toEqual([depleted]);
    await messaging.credit('test', other.id, 50);
    expectProblem(await other.test.send(), 402);
    expect(await warnings('test', other)).toEqual([
      depleted,
      { type: 'wallet.depleted', data: { balanceCoins: 50, lowBalanceCoins: 0 } },
    ]);
  });
});

describe('the low-balance threshold', () => {
  test('is set by PATCH; crossing it raises wallet.low_balance once until a credit', async () => {
    const other = await messaging.tenant();
    const low = OPENING - 150;
    expect(await setLow(other.test, low)).toMatchObject({
      status: 200,
      body: { lowBalanceCoins: low, balanceCoins: OPENING },
    });
    const raised = [];
    for (const credit of [0, 0, 0, 500, 0, 0, 0, 0, 0]) {
      if (credit) await messaging.credit('test', other.id, credit);
      await other.test.send();
      raised.push((await warnings('test', other)).length);
    }
    expect(raised).toEqual([0, 1, 1, 1, 1, 1, 2, 2, 2]);
    const [first] = await warnings('test', other);
    expect(first).toEqual({ type: 'wallet.low_balance', data: { balanceCoins: OPENING - 200, lowBalanceCoins: low } });
    expect((await messaging.eventsOf('live', other.id)).length).toBe(0);
  });

  test('of 0 disables the warning', async () => {
    const other = await messaging.tenant();
    await setLow(other.test, 0);
    await other.test.send({ route: 'otp' });
    expect(await warnings('test', other)).toEqual([]);
  });

  test('is a non-negative integer of coins, written with wallet:write', async () => {
    for (const value of [-1, 1.5, '5', null, 2 ** 53, undefined])
      expectProblem(await setLow(tenant.test, value), 422, { errors: ['lowBalanceCoins'] });
    expectProblem(
      await tenant.test.call('PATCH', '/v2/wallet', { body: { lowBalanceCoins: 1, balanceCoins: 9 } }),
      422,
    );
    expectProblem(await tenant.test.call('PATCH', '/v2/wallet'), 400);
    const reader = await messaging.limited(tenant.test, ['wallet:read']);
    expectProblem(await setLow(reader, 1), 403);
    const sender = await messaging.limited(tenant.test, ['sms:send']);
    for (const path of ['/v2/wallet', '/v2/wallet/entries', '/v2/prices']) expectProblem(await sender.get(path), 403);
  });
});

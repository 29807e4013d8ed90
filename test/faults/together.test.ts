import { beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { ProviderAnswer } from '../../shared/domain/message/provider-port.ts';
import { priceRowOf } from '../../shared/domain/pricing/prices.ts';
import { WARNING_LEVEL } from '../../shared/domain/wallet/wallet.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { rememberLane, seenWallet } from '../../shared/storage/wallet/lane-cache.ts';
import { openLanes } from '../../shared/storage/wallet/lanes.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { readVolume } from '../../shared/storage/wallet/volumes.ts';
import { premiumPrices } from '../support/channel-plans.ts';
import { checkMoney } from '../support/money.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import {
  counted,
  gatheringPorts,
  recipientAt,
  recordsOf,
  type Sending,
  sendConcurrently,
  times,
} from './together-kit.ts';

const PRICE = 100;
const MANY = 12;

const world = await use(startWorld('live'));
const ports = gatheringPorts(world);
beforeEach(() => {
  world.reset();
  world.prices = premiumPrices([null, PRICE]);
});

const send = (actor: Actor, all: readonly Sending[]) => sendConcurrently(ports, actor, all);
const sendMany = (actor: Actor, count = MANY) =>
  send(
    actor,
    times(count, () => ({})),
  );
const wallet = async ({ organizationId }: Actor) => (await readWallet(world.table, organizationId))?.wallet;
const check = ({ organizationId }: Actor) => checkMoney(world.table, organizationId, { quiet: true });
describe('messages that are sent concurrently', () => {
  test('share two transactions, and each has its own hold, capture, record and price', async () => {
    const actor = await world.organization(1_000_000);
    // The first send caches the wallet's state.
    expect(await send(actor, [{}])).toEqual([PRICE]);
    let outcomes: readonly unknown[] = [];
    const calls = await world.proxy.callsOf(async () => {
      outcomes = await sendMany(actor);
    });
    expect(outcomes).toEqual(times(MANY, () => PRICE));
    // Their references are in the second.
    expect(calls).toEqual({ TransactWriteItems: 2 });
    const { balance, messages } = await check(actor);
    expect(balance).toBe(1_000_000 - (MANY + 1) * PRICE);
    expect(messages.map(({ hold }) => hold)).toEqual(times(MANY + 1, () => 'captured'));
    expect(await wallet(actor)).toMatchObject({ sms: MANY + 1 });
    expect((await readVolume(world.live, actor.organizationId, 'sms', '202603')).taken).toBe(MANY + 1);
    expect(await recordsOf(world, actor, messages)).toEqual(messages.map(({ id }) => id));
  });

  test('need no further calls when there is only one: its references are written once', async () => {
    const actor = await world.organization(1_000_000);
    await send(actor, [{}]);
    const calls = await world.proxy.callsOf(async () => {
      expect(await send(actor, [{}])).toEqual([PRICE]);
    });
    expect(calls).toEqual({ TransactWriteItems: 2, BatchWriteItem: 1 });
    await check(actor);
  });

  test('to one recipient check its opt-out once, and all of them are refused by it', async () => {
    const actor = await world.organization(10_000);
    const { organizationId } = actor;
    const same = times(MANY, (): Sending => ({ to: recipientAt(0) }));
    expect(await send(actor, same)).toEqual(times(MANY, () => PRICE));
    const hash = await world.ports.recipientHashOf(organizationId, 'phone', recipientAt(0));
    await world.table.write({ put: { ...KEYS.phone(organizationId, hash), optInStatus: 'denied' } });
    expect(counted(await send(actor, [...same, {}, {}]))).toEqual({ VALIDATION_ERROR: MANY, [PRICE]: 2 });
    expect((await check(actor)).balance).toBe(10_000 - (MANY + 2) * PRICE);
  });

  test('under one key are one message: another body is refused, and the others are sent', async () => {
    const actor = await world.organization(10_000);
    const key = 'one-key';
    const outcomes = await send(actor, [{ key }, {}, { key, body: 'Olá' }, {}, { key, to: recipientAt(0) }, {}]);
    expect(outcomes.filter((_, at) => at % 2 === 1)).toEqual([PRICE, PRICE, PRICE]);
    expect(outcomes.filter((one) => one === 'CONFLICT').length).toBeGreaterThanOrEqual(1);
    const { messages, balance } = await check(actor);
    expect(messages.filter(({ callerKey }) => callerKey === key)).toHaveLength(1);
    expect([messages.length, balance]).toEqual([4, 10_000 - 4 * PRICE]);
  });

  test.each([0, 1, 5, MANY - 1])(
    'are paid to the last coin: %i of twelve, and the others are refused',
    async (paid) => {
      const actor = await world.organization(paid * PRICE + PRICE - 1);
      const expected = { ...(paid > 0 ? { [PRICE]: paid } : {}), PAYMENT_REQUIRED: MANY - paid };
      expect(counted(await sendMany(actor))).toEqual(expected);
      expect((await check(actor)).balance).toBe(PRICE - 1);
    },
  );

  test('of an organization without a wallet are refused, even if they are free', async () => {
    world.prices = premiumPrices([null, 0]);
    const actor = world.actor();
    expect(counted(await sendMany(actor))).toEqual({ PAYMENT_REQUIRED: MANY });
    expect(await wallet(actor)).toBeUndefined();
  });

  test('raise each warning of the wallet once', async () => {
    const actor = await world.organization(MANY * PRICE);
    expect(await sendMany(actor)).toEqual(times(MANY, () => PRICE));
    const warnings = (await world.raised()).filter(({ type }) => type.startsWith('wallet.'));
    expect(warnings.map(({ type }) => type).toSorted()).toEqual(['wallet.depleted', 'wallet.low_balance']);
    expect(warnings.map(({ createdAt }) => createdAt)).toEqual([world.now, world.now]);
    expect(await wallet(actor)).toMatchObject({ warned: WARNING_LEVEL.depleted });
    expect((await check(actor)).balance).toBe(0);
  });

  test.each([3, 8, 11])(
    'across the end of a band after %i have each the price of their place in the month',
    async (end) => {
      world.prices = premiumPrices([end, 100], [null, 70]);
      const actor = await world.organization(10_000);
      const first = await send(actor, [{}]);
      const outcomes = [...first, ...(await sendMany(actor))];
      expect(counted(outcomes)).toEqual({ 100: end, 70: MANY + 1 - end });
      expect((await check(actor)).balance).toBe(10_000 - end * 100 - (MANY + 1 - end) * 70);
      expect((await readVolume(world.live, actor.organizationId, 'sms', '202603')).taken).toBe(MANY + 1);
    },
  );

  test('take positions that came back, each once, at their price', async () => {
    world.prices = premiumPrices([2, 100], [null, 70]);
    const actor = await world.organization(10_000);
    const { promise: refuse, resolve } = Promise.withResolvers<ProviderAnswer>();
    world.provider.script = times(2, () => () => refuse);
    const refused = sendMany(actor, 2);
    await expect.poll(() => world.provider.dispatched.length, PATIENCE).toBe(2);
    expect(await send(actor, [{}, {}])).toEqual([70, 70]);
    resolve({ kind: 'refused', cause: 'recipient', detail: '404' });
    expect(counted(await refused)).toEqual({ VALIDATION_ERROR: 2 });
    expect(counted(await sendMany(actor))).toEqual({ 100: 2, 70: MANY - 2 });
    expect((await check(actor)).balance).toBe(10_000 - 2 * 100 - MANY * 70);
  });

  test('of two units take two returned positions one after the other, although both were priced when one was returned', async () => {
    world.prices = premiumPrices([2, 100], [null, 70]);
    const actor = await world.organization(10_000);
    const refused = times(2, () => Promise.withResolvers<ProviderAnswer>());
    world.provider.script = refused.map(
      ({ promise }) =>
        () =>
          promise,
    );
    const first = sendMany(actor, 2);
    await expect.poll(() => world.provider.dispatched.length, PATIENCE).toBe(2);
    expect(await send(actor, [{}])).toEqual([70]);
    for (const { resolve } of refused) resolve({ kind: 'refused', cause: 'recipient', detail: '404' });
    await first;
    const body = 'x'.repeat(161);
    let quotes = 0;
    const early: typeof ports = {
      ...ports,
      volume: async (...of) => (quotes++ < 2 ? { taken: 3, free: [{ from: 1, units: 1 }] } : ports.volume(...of)),
    };
    expect(counted(await sendConcurrently(early, actor, [{ body }, { body }]))).toEqual({ 200: 1, 140: 1 });
    expect(quotes).toBeGreaterThan(2);
    await check(actor);
  });

  test('whose price only stood behind one that is refused are priced again: no position is given twice', async () => {
    world.prices = premiumPrices([12, 100], [15, 70], [null, 50]);
    const actor = await world.organization(10_000);
    const { organizationId } = actor;
    expect(await send(actor, [{ body: 'x'.repeat(11 * 152) }])).toEqual([1_100]);
    const optedOut = recipientAt(1);
    const hash = await world.ports.recipientHashOf(organizationId, 'phone', optedOut);
    await world.table.write({ put: { ...KEYS.phone(organizationId, hash), optInStatus: 'denied' } });
    // Each was priced when those before it had been.
    const seen = [11, 12, 15];
    const early: typeof ports = {
      ...ports,
      volume: async (...of) => {
        const taken = seen.shift();
        return taken === undefined ? ports.volume(...of) : { taken, free: [] };
      },
    };
    const refused = { body: 'x'.repeat(3 * 152), to: optedOut };
    expect(await sendConcurrently(early, actor, [{}, refused, {}])).toEqual([100, 'VALIDATION_ERROR', 70]);
    expect(await readVolume(world.live, organizationId, 'sms', '202603')).toMatchObject({ taken: 13 });
    expect((await check(actor)).balance).toBe(10_000 - 1_270);
  });

  test('use up the contracted rate of their second and no more, whichever second each is of', async () => {
    world.smsPerSecond = 10;
    const actor = await world.organization(10_000);
    expect(counted(await sendMany(actor))).toEqual({ [PRICE]: 10, RATE_LIMITED: 2 });
    expect(counted(await sendMany(actor, 2))).toEqual({ RATE_LIMITED: 2 });
    const clock = world.now;
    let requested = 0;
    const moving = { ...ports, clock: () => clock + 1_000 * (1 + (requested++ % 2)) };
    expect(
      counted(
        await sendConcurrently(
          moving,
          actor,
          times(MANY, () => ({})),
        ),
      ),
    ).toEqual({ [PRICE]: MANY });
    await check(actor);
  });

  describe('in lanes', () => {
    const openedLanes = async () => {
      const actor = await world.organization(1_000_000);
      const { organizationId } = actor;
      const price = priceRowOf(world.prices, 'sms', 'premium') ?? expect.fail();
      const volume = { channel: 'sms', month: '202603', price } as const;
      await openLanes(world.table, organizationId, { coins: 5_000, units: 40, sends: 1, volume }, world.now);
      const row = (lane: number) => world.table.get(KEYS.walletLane(organizationId, lane));
      for (const lane of [1, 2]) rememberLane(world.table, organizationId, lane, await row(lane));
      const seen = (lane: number) => seenWallet(world.table, organizationId).lanes.get(lane) ?? expect.fail();
      const inLane = (lane: number): typeof ports => ({
        ...ports,
        debitLane: async () => ({ lane, volume: { taken: seen(lane).segments, free: [] } }),
      });
      return { actor, row, seen, inLane };
    };
    const many = times(MANY, () => ({}));

    test('of which the part of the month ends a band have the prices of their positions, one after the other', async () => {
      const { actor, seen, inLane } = await openedLanes();
      const { segments, end } = seen(1);
      expect(end - segments).toBeGreaterThan(MANY);
      world.prices = premiumPrices([segments + 4, 100], [null, 70]);
      expect(counted(await sendConcurrently(inLane(1), actor, many))).toEqual({ 100: 4, 70: MANY - 4 });
      await check(actor);
    });

    test('are debited each in its own', async () => {
      const { actor, row, inLane } = await openedLanes();
      const balances = async () => [(await row(1))?.balance, (await row(2))?.balance].map(Number);
      const before = await balances();
      await Promise.all([
        sendConcurrently(inLane(1), actor, many),
        sendConcurrently(inLane(2), actor, many.slice(0, 5)),
      ]);
      expect(await balances()).toEqual([(before[0] ?? 0) - MANY * PRICE, (before[1] ?? 0) - 5 * PRICE]);
      await check(actor);
    });
  });

  test('of two months are each of their own, though they were sent at once', async () => {
    const actor = await world.organization(1_000_000);
    const at = (time: string): typeof ports => ({ ...ports, clock: () => Date.parse(time) });
    // In São Paulo it is three hours earlier.
    const [march, april] = [at('2026-04-01T02:59:59Z'), at('2026-04-01T03:00:00Z')];
    const many = (count: number) => times(count, () => ({}));
    await Promise.all([sendConcurrently(march, actor, many(5)), sendConcurrently(april, actor, many(7))]);
    const takenIn = async (month: string) => (await readVolume(world.live, actor.organizationId, 'sms', month)).taken;
    expect([await takenIn('202603'), await takenIn('202604')]).toEqual([5, 7]);
    await check(actor);
  });

  test('of two organizations are paid for by each of them', async () => {
    const [rich, poor] = [await world.organization(10_000), await world.organization(PRICE)];
    const outcomes = await Promise.all([sendMany(rich), sendMany(poor)]);
    expect(outcomes.map(counted)).toEqual([{ [PRICE]: MANY }, { [PRICE]: 1, PAYMENT_REQUIRED: MANY - 1 }]);
    expect([(await check(rich)).balance, (await check(poor)).balance]).toEqual([10_000 - MANY * PRICE, 0]);
  });

  test('are bounded each by the contracted rate that it was checked for, where that is changed meanwhile', async () => {
    const actor = await world.organization(10_000);
    const many = times(MANY, () => ({}));
    const before: typeof ports = { ...ports, perSecond: async () => 100 };
    const after: typeof ports = { ...ports, perSecond: async () => 2 };
    const outcomes = await Promise.all([sendConcurrently(before, actor, many), sendConcurrently(after, actor, many)]);
    expect(counted(outcomes[0] ?? [])).toEqual({ [PRICE]: MANY });
    expect(counted(outcomes[1] ?? []).RATE_LIMITED).toBeGreaterThanOrEqual(MANY - 2);
    await check(actor);
  });

  test('beyond what one transaction holds are in several: long texts, and more messages than its rows', async () => {
    const actor = await world.organization(10_000_000);
    world.prices = premiumPrices([null, 1]);
    const body = 'x'.repeat(10_000);
    const outcomes = await send(actor, [...times(50, () => ({})), ...times(30, () => ({ body }))]);
    expect(counted(outcomes)).toEqual({ 1: 50, 66: 30 });
    expect((await check(actor)).messages).toHaveLength(80);
  });
});

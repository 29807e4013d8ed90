import { beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { asCoins } from '../../shared/domain/core/money.ts';
import { saoPauloMonth } from '../../shared/domain/core/time.ts';
import { edgesOf, type PriceRow, type PriceTable, priceRowOf } from '../../shared/domain/pricing/prices.ts';
import { NO_CHANGE } from '../../shared/domain/pricing/volume.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { seenWallet } from '../../shared/storage/wallet/lane-cache.ts';
import { laneWrite, readLane, windowName } from '../../shared/storage/wallet/lane-rows.ts';
import { openLanes } from '../../shared/storage/wallet/lanes.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { checkLanes } from '../../shared/storage/wallet/recall.ts';
import { setLowBalance } from '../../shared/storage/wallet/wallet.ts';
import { accepted } from '../support/accepted.ts';
import { checkMoney } from '../support/money.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const band = (coins: number) => [{ upTo: null, coins }];
const PRICES: PriceTable = [
  { channel: 'sms', route: 'otp', unit: 'segment', bands: band(1_000) },
  { channel: 'sms', route: 'premium', unit: 'segment', bands: band(400_000) },
];
const MONTH_MS = 31 * 86_400_000;
const world = await use(startWorld('live'));
let actor: Actor;
let price: PriceRow;
beforeEach(async () => {
  world.reset();
  actor = await world.organization(400_000);
  const found = priceRowOf(world.prices, 'sms', 'otp');
  if (!found) throw new Error('there is no price');
  price = found;
});

const open = () => {
  const volume = { channel: 'sms', month: saoPauloMonth(world.now), price } as const;
  return openLanes(world.table, actor.organizationId, { coins: 1_000, units: 1, sends: 1, volume }, world.now);
};
const check = () => {
  world.now += 31_000;
  return checkLanes(world.table, actor.organizationId, edgesOf(price), world.now);
};
const send = async () => accepted(await world.sms(actor, undefined, { route: 'otp' }));
const lanes = async () => {
  const keys = [1, 2, 3, 4].map((lane) => KEYS.walletLane(actor.organizationId, lane));
  return (await world.table.getMany(keys, { consistent: true })).flatMap((row) => (row ? [readLane(row)] : []));
};
/** As a process of its own would: by what it saw of the wallet. */
const prefer = (lane: number) => Object.assign(seenWallet(world.table, actor.organizationId), { favourite: lane });

describe('a lane', () => {
  test('takes no debit whose price its window does not reach, though its last position is free', async () => {
    await open();
    const { organizationId } = actor;
    const month = saoPauloMonth(world.now);
    const window = { window: windowName('sms', month), segments: 49, end: 50 };
    const { row } = await world.table.write({ update: KEYS.walletLane(organizationId, 1), set: window });
    const debit = (volumeFrom: number, volumeTo: number) => {
      const volume = { channel: 'sms', month, change: { ...NO_CHANGE, units: 1, volumeFrom, volumeTo } } as const;
      return world.table.write(
        laneWrite(organizationId, 1, readLane(row ?? expect.fail()), { coins: 1, add: {}, volume }),
      );
    };
    expect((await debit(100, 200)).ok).toBe(false);
    expect((await debit(10, 200)).ok).toBe(true);
    expect((await debit(10, 200)).ok).toBe(false);
  });

  test('gives no position beyond its window to a process that saw another month’s', async () => {
    for (let sent = 0; sent < 40; sent++) await send();
    await open();
    const seen = new Map(seenWallet(world.table, actor.organizationId).lanes);
    for (const lane of [1, 2, 3, 4]) {
      prefer(lane);
      await send();
      seen.set(lane, seenWallet(world.table, actor.organizationId).lanes.get(lane) ?? expect.fail());
    }
    for (let turn = 0; turn < 3; turn++) await check();
    world.now += MONTH_MS;
    await open();
    const known = seenWallet(world.table, actor.organizationId).lanes;
    known.clear();
    for (const [lane, state] of seen) known.set(lane, state);
    for (let sent = 0; sent < 60; sent++) {
      prefer(1);
      await send();
      for (const { segments, end } of await lanes()) expect(segments).toBeLessThanOrEqual(end);
    }
    for (let turn = 0; turn < 3; turn++) await check();
    await checkMoney(world.table, actor.organizationId);
  });

  test('that has nothing left of last month serves the next', async () => {
    world.prices = PRICES;
    price = priceRowOf(PRICES, 'sms', 'otp') ?? expect.fail();
    await open();
    const [first] = await lanes();
    for (let sent = 0; sent < (first?.balance ?? 0) / 1_000; sent++) {
      prefer(1);
      await send();
    }
    const [spent] = await lanes();
    expect(spent).toMatchObject({ balance: 0, segments: spent?.end });
    world.now += MONTH_MS;
    prefer(1);
    await send();
    await checkMoney(world.table, actor.organizationId);
  });

  test('that got coins back after it closed gives them to a send that needs them, however it is counted meanwhile', async () => {
    world.prices = PRICES;
    price = priceRowOf(PRICES, 'sms', 'otp') ?? expect.fail();
    await open();
    prefer(2);
    const refuse = Promise.withResolvers<void>();
    world.provider.script = [() => refuse.promise.then(() => ({ kind: 'refused', cause: 'recipient', detail: '404' }))];
    const sending = world.sms(actor, undefined, { route: 'otp' });
    await expect.poll(() => world.provider.dispatched.length, PATIENCE).toBe(1);
    await check();
    refuse.resolve();
    expect(isRefusal(await sending)).toBe(true);
    expect(await world.table.get(KEYS.wallet(actor.organizationId))).toMatchObject({ balance: 399_000, lanes: 0 });
    expect((await readWallet(world.table, actor.organizationId))?.balance).toBe(400_000);
    accepted(await world.sms(actor, undefined, { route: 'premium' }));
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 0 });
  });

  test('that is folded into the wallet while that is read is counted once', async () => {
    await open();
    prefer(1);
    await send();
    const { table } = world;
    let overtaken = false;
    const query: Table['query'] = async (range) => {
      const page = await table.query(range);
      if (!overtaken) {
        overtaken = true;
        await check();
        await check();
      }
      return page;
    };
    const get: Table['get'] = (...args) => table.get(...args);
    const getMany: Table['getMany'] = (...args) => table.getMany(...args);
    const before = await readWallet(table, actor.organizationId);
    const read = await readWallet({ query, get, getMany } as Table, actor.organizationId);
    expect(read).toMatchObject({ balance: before?.balance, held: 0, wallet: { sms: 1 } });
  });

  test('is checked when the wallet says, by its due row, and is gone with its traffic', async () => {
    await open();
    const row = await world.table.get(KEYS.wallet(actor.organizationId));
    expect(row).toMatchObject({ duePk: expect.stringMatching(/^DUE#check_lanes#/), lanes: 4, opened: 4 });
    await check();
    await check();
    const quiet = await world.table.get(KEYS.wallet(actor.organizationId));
    expect(quiet).toMatchObject({ lanes: 0, opened: 0, leased: 0, balance: 400_000 });
    expect(quiet).not.toHaveProperty('duePk');
    expect(await lanes()).toEqual([]);
  });

  test('whose sends are under way is kept until they are settled', async () => {
    await open();
    prefer(2);
    const answer = world.provider.hold();
    const sending = send();
    await expect.poll(() => world.provider.dispatched.length, PATIENCE).toBe(1);
    await check();
    await check();
    expect((await readWallet(world.table, actor.organizationId))?.wallet).toMatchObject({ lanes: 0, opened: 2 });
    answer();
    await sending;
    await check();
    expect((await readWallet(world.table, actor.organizationId))?.wallet).toMatchObject({ lanes: 0, opened: 0 });
    await checkMoney(world.table, actor.organizationId);
  });

  test('has no coins once the line of the warnings is above what there is: the next debit warns', async () => {
    await open();
    await setLowBalance(world.table, actor, asCoins(500_000), world.now);
    expect(await world.table.get(KEYS.wallet(actor.organizationId))).toMatchObject({ balance: 400_000, lanes: 0 });
    await world.raised();
    prefer(1);
    await send();
    expect((await world.raised()).map(({ type }) => type)).toContain('wallet.low_balance');
  });

  test('stays open while the traffic needs it', async () => {
    actor = await world.organization(10_000_000);
    await open();
    for (let sent = 0; sent < 300; sent++) await send();
    await check();
    expect((await readWallet(world.table, actor.organizationId))?.wallet.lanes).toBe(4);
  });
});

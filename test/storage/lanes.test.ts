import { beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { saoPauloMonth } from '../../shared/domain/core/time.ts';
import { edgesOf, type PriceRow, priceRowOf } from '../../shared/domain/pricing/prices.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { seenWallet } from '../../shared/storage/wallet/lane-cache.ts';
import { readLane } from '../../shared/storage/wallet/lane-rows.ts';
import { openLanes } from '../../shared/storage/wallet/lanes.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { checkLanes, recallAll } from '../../shared/storage/wallet/recall.ts';
import { accepted } from '../support/accepted.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

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
    await open();
    await recallAll(world.table, actor.organizationId);
    await open();
    for (let sent = 0; sent < 30; sent++) {
      prefer(1);
      await send();
    }
    world.now += MONTH_MS;
    for (let sent = 0; sent < 30; sent++) {
      prefer(1);
      await send();
    }
    await checkMoney(world.table, actor.organizationId);
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
    await expect.poll(() => world.provider.dispatched.length).toBe(1);
    await check();
    await check();
    expect((await readWallet(world.table, actor.organizationId))?.wallet).toMatchObject({ lanes: 0, opened: 2 });
    answer();
    await sending;
    await check();
    expect((await readWallet(world.table, actor.organizationId))?.wallet).toMatchObject({ lanes: 0, opened: 0 });
    await checkMoney(world.table, actor.organizationId);
  });

  test('stays open while the traffic needs it', async () => {
    actor = await world.organization(10_000_000);
    await open();
    for (let sent = 0; sent < 300; sent++) await send();
    await check();
    expect((await readWallet(world.table, actor.organizationId))?.wallet.lanes).toBe(4);
  });
});

import { beforeEach, expect, test } from 'vitest';
import { type CountingProxy, startCountingProxy } from '../../bench/counting-proxy.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { priceRowOf } from '../../shared/domain/pricing/prices.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { rememberLane, seenWallet } from '../../shared/storage/wallet/lane-cache.ts';
import { openLanes } from '../../shared/storage/wallet/lanes.ts';
import { premiumPrices } from '../support/channel-plans.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { gatheringPorts, recipientAt, sendAtOnce, submitAt, times } from './together-kit.ts';

// Sharing exists for its cost: message by message, each of these would be answered alike, at a higher cost.

const PRICE = 100;
const MANY = 12;

let meter: CountingProxy;
const world = await use(
  startWorld('live', {
    through: async (endpoint) => {
      meter = await use(startCountingProxy(endpoint));
      return meter.endpoint;
    },
  }),
);
const ports = gatheringPorts(world);
beforeEach(() => {
  world.reset();
  world.prices = premiumPrices([null, PRICE]);
});

/** An organization without subscriptions, whose wallet this process has cached. */
const seenActor = async (coins = 1_000_000): Promise<Actor> => {
  const actor = await world.organization(coins + PRICE, false);
  expect(await sendAtOnce(ports, actor, [{}])).toEqual([PRICE]);
  return actor;
};
const costOf = async (work: () => Promise<unknown>) => {
  meter.reset();
  await work();
  const { actions, writeUnits, calls } = meter.taken();
  return { transactions: actions.TransactWriteItems, writeUnits, failed: calls.filter(({ done }) => !done).length };
};
const check = ({ organizationId }: Actor) => checkMoney(world.table, organizationId);

test('thirty messages without a key are two transactions, and twelve take fewer write units each than one alone', async () => {
  const actor = await seenActor();
  const submit = (count: number) => Promise.all(times(count, (at) => submitAt(world, ports, actor, at)));
  expect(await costOf(() => submit(30))).toMatchObject({ transactions: 2, failed: 0 });
  const alone = await costOf(() => submit(1));
  const together = await costOf(() => submit(MANY));
  // All of them share the debit of the wallet and the count of what was captured: two writes of two units.
  expect([alone.writeUnits, together.writeUnits]).toEqual([4 + 16, 4 + 16 * MANY]);
  await check(actor);
});

test('one that is refused costs the others one attempt, and is itself decided once more', async () => {
  const actor = await seenActor();
  const hash = await world.ports.recipientHashOf(actor.organizationId, 'phone', recipientAt(0));
  await world.table.write({ put: { ...KEYS.phone(actor.organizationId, hash), optInStatus: 'denied' } });
  const send = (count: number) =>
    sendAtOnce(
      ports,
      actor,
      times(count, () => ({})),
    );
  expect(await costOf(() => send(MANY))).toMatchObject({ transactions: 4, failed: 2 });
  expect(await costOf(() => send(1))).toMatchObject({ transactions: 1, failed: 1 });
  await check(actor);
});

test('a wallet that does not cover all of them pays in one transaction for those that it covers', async () => {
  const actor = await seenActor(5 * PRICE);
  const work = () =>
    sendAtOnce(
      ports,
      actor,
      times(MANY, () => ({})),
    );
  expect(await costOf(work)).toMatchObject({ transactions: 4, failed: 2 });
  await check(actor);
});

test('those whose lane was refilled by another process meanwhile are priced and reserved together again', async () => {
  const actor = await seenActor();
  const { organizationId } = actor;
  const price = priceRowOf(world.prices, 'sms', 'premium') ?? expect.fail();
  const volume = { channel: 'sms', month: '202603', price } as const;
  await openLanes(world.table, organizationId, { coins: 5_000, units: 40, sends: 1, volume }, world.now);
  rememberLane(world.table, organizationId, 1, await world.table.get(KEYS.walletLane(organizationId, 1)));
  const { lanes } = seenWallet(world.table, organizationId);
  const lane = () => lanes.get(1) ?? expect.fail();
  lanes.set(1, { ...lane(), end: lane().end - 1 });
  const inLane = { ...ports, debitLane: async () => ({ lane: 1, volume: { taken: lane().segments, free: [] } }) };
  const work = () =>
    sendAtOnce(
      inLane,
      actor,
      times(MANY, () => ({})),
    );
  expect(await costOf(work)).toMatchObject({ transactions: 3, failed: 1 });
  await check(actor);
});

import { beforeEach, expect, test } from 'vitest';
import { type CountingProxy, startCountingProxy } from '../../bench/counting-proxy.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import type { ProviderAnswer } from '../../shared/domain/message/provider-port.ts';
import { priceRowOf } from '../../shared/domain/pricing/prices.ts';
import { messageEvent } from '../../shared/domain/tracking/events.ts';
import { DEFAULT_LOW_BALANCE } from '../../shared/domain/wallet/wallet.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { rememberLane, seenWallet } from '../../shared/storage/wallet/lane-cache.ts';
import { openLanes } from '../../shared/storage/wallet/lanes.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { premiumPrices } from '../support/channel-plans.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { gatheringPorts, recipientAt, sendConcurrently, submitAt, times } from './together-kit.ts';

// Sharing exists for its cost: message by message, each of these would be answered alike, at a higher cost.

const PRICE = 100;
const MANY = 12;
/** Below it a wallet warns, and leases nothing. */
const LOW = DEFAULT_LOW_BALANCE;

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
  expect(await sendConcurrently(ports, actor, [{}])).toEqual([PRICE]);
  return actor;
};
const costOf = async (work: () => Promise<unknown>) => {
  meter.reset();
  await work();
  const { actions, writeUnits, calls } = meter.taken();
  const failed = calls.filter(({ done }) => !done).length;
  // Whatever moment each of them is captured at.
  const debits = calls.filter(
    ({ action, body }) => action === 'TransactWriteItems' && body.includes('"hold":{"S":"open"}'),
  ).length;
  return { transactions: actions.TransactWriteItems, debits, writeUnits, failed };
};
const check = ({ organizationId }: Actor) => checkMoney(world.table, organizationId);

test('thirty messages without a key are three transactions, and twelve take fewer write units each than one alone', async () => {
  const actor = await seenActor();
  const submit = (count: number) => Promise.all(times(count, (at) => submitAt(world, ports, actor, at)));
  expect(await costOf(() => submit(30))).toMatchObject({ transactions: 3, failed: 0 });
  const alone = await costOf(() => submit(1));
  const together = await costOf(() => submit(MANY));
  // All of them share the debit of the wallet, the count of what was captured and two rows of ledger entries: four writes of two units. The two
  // references of each save a call, and take a unit more in the transaction.
  expect([alone.writeUnits, together.writeUnits]).toEqual([8 + 12, 8 + (12 + 2) * MANY]);
  await check(actor);
});

test('one that is refused costs the others one attempt, and is itself decided once more', async () => {
  const actor = await seenActor();
  const hash = await world.ports.recipientHashOf(actor.organizationId, 'phone', recipientAt(0));
  await world.table.write({ put: { ...KEYS.phone(actor.organizationId, hash), optInStatus: 'denied' } });
  const send = (count: number) =>
    sendConcurrently(
      ports,
      actor,
      times(count, () => ({})),
    );
  expect(await costOf(() => send(MANY))).toMatchObject({ debits: 3, failed: 2 });
  expect(await costOf(() => send(1))).toMatchObject({ debits: 1, failed: 1 });
  await check(actor);
});

test('a wallet that does not cover all of them pays in one transaction for those that it covers', async () => {
  const actor = await seenActor(5 * PRICE);
  const work = () =>
    sendConcurrently(
      ports,
      actor,
      times(MANY, () => ({})),
    );
  expect(await costOf(work)).toMatchObject({ debits: 3, failed: 2 });
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
    sendConcurrently(
      inLane,
      actor,
      times(MANY, () => ({})),
    );
  expect(await costOf(work)).toMatchObject({ debits: 2, failed: 1 });
  await check(actor);
});

test('twelve to one recipient are one transaction of which its opt-out is checked once, and are decided alone once it opted out', async () => {
  const actor = await seenActor();
  const send = () =>
    sendConcurrently(
      ports,
      actor,
      times(MANY, () => ({ to: recipientAt(0) })),
    );
  expect(await costOf(send)).toMatchObject({ debits: 1, failed: 0 });
  const hash = await world.ports.recipientHashOf(actor.organizationId, 'phone', recipientAt(0));
  await world.table.write({ put: { ...KEYS.phone(actor.organizationId, hash), optInStatus: 'denied' } });
  expect(await costOf(send)).toMatchObject({ debits: 1 + MANY, failed: 1 + MANY });
  await check(actor);
});

test('thirty with keys are one transaction: each has its own record and message, and its recipient is checked', async () => {
  const actor = await seenActor();
  const work = () =>
    sendConcurrently(
      ports,
      actor,
      times(30, () => ({})),
    );
  expect(await costOf(work)).toMatchObject({ debits: 1, failed: 0 });
  await check(actor);
});

test('those whose contracted rate is used up fail once together, and then each decides by itself', async () => {
  const actor = await seenActor();
  world.now += 1_000;
  world.smsPerSecond = 10;
  const work = () =>
    sendConcurrently(
      ports,
      actor,
      times(MANY, () => ({})),
    );
  expect(await costOf(work)).toMatchObject({ debits: 1 + MANY, failed: 1 + 2 });
  await check(actor);
});

test('a lane of an emptying wallet is refilled for as many as are sent at once, and stays open', async () => {
  const actor = await seenActor(LOW + 30_000);
  const { organizationId } = actor;
  const price = priceRowOf(world.prices, 'sms', 'premium') ?? expect.fail();
  const volume = { channel: 'sms', month: '202603', price } as const;
  await openLanes(world.table, organizationId, { coins: PRICE, units: 1, sends: 1, volume }, world.now);
  rememberLane(world.table, organizationId, 1, await world.table.get(KEYS.walletLane(organizationId, 1)));
  const lane = () => seenWallet(world.table, organizationId).lanes.get(1) ?? expect.fail();
  const inLane = { ...ports, debitLane: async () => ({ lane: 1, volume: { taken: lane().segments, free: [] } }) };
  for (let turn = 0; turn < 5; turn++)
    expect(
      await sendConcurrently(
        inLane,
        actor,
        times(MANY, () => ({})),
      ),
    ).toEqual(times(MANY, () => PRICE));
  expect((await readWallet(world.table, organizationId))?.wallet).toMatchObject({ lanes: 4 });
  await check(actor);
});

test('a message priced after a refused one fails no other: it is priced again alone', async () => {
  world.prices = premiumPrices([12, PRICE], [15, 70], [null, 50]);
  const actor = await seenActor();
  await sendConcurrently(ports, actor, [{ body: 'x'.repeat(10 * 152) }]);
  const hash = await world.ports.recipientHashOf(actor.organizationId, 'phone', recipientAt(1));
  await world.table.write({ put: { ...KEYS.phone(actor.organizationId, hash), optInStatus: 'denied' } });
  const seen = [11, 12, 15];
  const early: typeof ports = {
    ...ports,
    volume: async (...of) => {
      const taken = seen.shift();
      return taken === undefined ? ports.volume(...of) : { taken, free: [] };
    },
  };
  const refused = { body: 'x'.repeat(3 * 152), to: recipientAt(1) };
  expect(await costOf(() => sendConcurrently(early, actor, [{}, refused, {}]))).toMatchObject({ debits: 5, failed: 3 });
  await check(actor);
});

test('those of two seconds are counted in each of them, in one transaction', async () => {
  const actor = await seenActor();
  world.now += 1_000;
  world.smsPerSecond = 10;
  const clock = world.now;
  const at = (now: number) => ({ ...ports, clock: () => now });
  const many = times(6, () => ({}));
  const work = () =>
    Promise.all([sendConcurrently(at(clock), actor, many), sendConcurrently(at(clock + 1_000), actor, many)]);
  expect(await costOf(work)).toMatchObject({ debits: 1, failed: 0 });
  await check(actor);
});

/** Settles messages under way at once, each with its event; the number of transactions, and of events that were stored. */
const settleConcurrently = async (takesEvents: boolean) => {
  const actor = await world.organization(1_000_000, takesEvents);
  world.provider.script = times(MANY, (): ProviderAnswer => ({ kind: 'unknown', detail: 'timeout' }));
  await sendConcurrently(
    ports,
    actor,
    times(MANY, () => ({})),
  );
  const { messages } = await checkMoney(world.table, actor.organizationId, { quiet: false });
  world.workItems.length = 0;
  const settleOne = (message: MessageRecord) =>
    ports.messageStore.settle(message, {
      at: world.now,
      provider: message.provider,
      providerMessageId: message.id,
      decisions: [],
      correlations: [],
      events: [messageEvent('message.sent', message, world.now)],
    });
  const calls = await world.proxy.callsOf(() => Promise.all(messages.map(settleOne)));
  const { messages: after } = await checkMoney(world.table, actor.organizationId);
  expect(after.map(({ hold }) => hold)).toEqual(times(MANY, () => 'captured'));
  return { transactions: calls.TransactWriteItems, raised: (await world.raised()).map(({ type }) => type) };
};

test('messages whose event no webhook takes are settled together, and others each with its event', async () => {
  expect(await settleConcurrently(false)).toEqual({ transactions: 1, raised: [] });
  expect(await settleConcurrently(true)).toEqual({ transactions: MANY, raised: times(MANY, () => 'message.sent') });
});

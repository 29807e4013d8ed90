import { beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { positionsOf } from '../../shared/domain/sending/positions.ts';
import { premiumPrices } from '../support/channel-plans.ts';
import { checkMoney } from '../support/money.ts';
import { useSendingProcesses } from '../support/sending-processes.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { gatheringPorts, sendConcurrently, times } from './together-kit.ts';

/** Processes that hold binds of one organization, and what each is submitted at once, again and again. */
const PROCESSES = 5;
const CONCURRENCY = 16;
const TURNS = 3;
const SENDS = PROCESSES * CONCURRENCY * TURNS;

const world = await use(startWorld('live'));
beforeEach(() => world.reset());

const processes = (await useSendingProcesses(world, PROCESSES)).map(({ table, ports }) =>
  gatheringPorts(world, { table, ports }),
);

const sendFromAll = async (actor: Actor): Promise<Record<string, number>> => {
  const outcomes = await Promise.all(
    processes.map(async (ports) => {
      const own: (string | number)[] = [];
      for (let turn = 0; turn < TURNS; turn++)
        own.push(
          ...(await sendConcurrently(
            ports,
            actor,
            times(CONCURRENCY, () => ({})),
          )),
        );
      return own;
    }),
  );
  const counts: Record<string, number> = {};
  for (const one of outcomes.flat()) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
};

describe('processes that each send many messages from one wallet concurrently', () => {
  test('are all served, across the end of a band at the price of each place, and each coin and position is accounted for', async () => {
    world.prices = premiumPrices([100, 10], [null, 7]);
    const actor = await world.organization(100_000);
    const { 10: expensive = 0, 7: cheap, ...others } = await sendFromAll(actor);
    expect([others, cheap]).toEqual([{}, SENDS - expensive]);
    // A send that had to be tried again may leave its place free for a later one, one for each process; all places are checked below.
    expect([expensive <= 100, expensive >= 100 - PROCESSES]).toEqual([true, true]);
    const { balance, messages } = await checkMoney(world.table, actor.organizationId);
    // Each is charged the price of the band that its place is in.
    const priced = messages.flatMap((message) =>
      (positionsOf(message)?.positions ?? []).map(({ from }) => `${from}: ${message.coins}`),
    );
    expect([...new Set(priced)].sort()).toEqual(['101: 7', '1: 10']);
    expect([balance, messages.length]).toEqual([100_000 - expensive * 10 - (SENDS - expensive) * 7, SENDS]);
    expect(world.provider.dispatched).toHaveLength(SENDS);
  });

  test('spend its last coin and no more, and raise its low balance once', async () => {
    const paid = SENDS - 30;
    world.prices = premiumPrices([null, 10]);
    const actor = await world.organization(paid * 10 + 9);
    expect(await sendFromAll(actor)).toEqual({ 10: paid, PAYMENT_REQUIRED: 30 });
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 9, held: 0 });
    const warnings = (await world.raised()).map(({ type }) => type).filter((type) => type.startsWith('wallet.'));
    expect(warnings.filter((type) => type === 'wallet.low_balance')).toHaveLength(1);
  });
});

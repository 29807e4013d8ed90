import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startTableLaws } from '../../infra/local/table-laws/proxy.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { messageStore } from '../../shared/storage/messages/message-store.ts';
import { chooseDebitLane } from '../../shared/storage/wallet/debit.ts';
import { readVolume, volumeReader } from '../../shared/storage/wallet/volumes.ts';
import { premiumPrices } from '../support/channel-plans.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { PLAIN, startWorld } from '../support/world.ts';
import { gatheringPorts, sendAtOnce, times } from './together-kit.ts';

/** Processes that hold binds of one organization, and what each is submitted at once, again and again. */
const PROCESSES = 5;
const AT_ONCE = 16;
const TURNS = 3;
const SENDS = PROCESSES * AT_ONCE * TURNS;
const PATIENCE_MS = 16_000;
const wide = { read: Infinity, write: Infinity };

const world = await use(startWorld('live'));
// Transactions take the time that they take in DynamoDB, and the later of two that meet is refused.
const laws = await startTableLaws(world.proxy.endpoint, {
  seed: 7,
  partition: wide,
  table: wide,
  lagMs: [0, 0],
  lateShare: 0,
});
const clients = times(PROCESSES, () => tableClient(laws.endpoint));
afterAll(async () => {
  for (const client of clients) client.destroy();
  await laws.close();
});
beforeEach(() => world.reset());

/** What a process of its own has: its own memory of wallets and volumes, and its own queues. */
const processes = clients.map((client) => {
  const table = new Table(client, 'live', (startedAt) => startedAt + PATIENCE_MS - performance.now());
  const volumes = volumeReader(
    (organizationId, month) => readVolume(table, organizationId, 'sms', month),
    () => world.now,
  );
  const ports: typeof world.ports = {
    ...world.ports,
    messageStore: messageStore(table, (published) => void world.workItems.push(...published), PLAIN),
    volume: async (organizationId, _, month) => volumes.guess(organizationId, month),
    learnVolume: volumes.learn,
    debitLane: ({ organizationId }, of) => chooseDebitLane(table, organizationId, of),
  };
  return gatheringPorts(world, { table, ports });
});

const sendFromAll = async (actor: Actor): Promise<Record<string, number>> => {
  const outcomes = await Promise.all(
    processes.map(async (ports) => {
      const own: (string | number)[] = [];
      for (let turn = 0; turn < TURNS; turn++)
        own.push(
          ...(await sendAtOnce(
            ports,
            actor,
            times(AT_ONCE, () => ({})),
          )),
        );
      return own;
    }),
  );
  const counts: Record<string, number> = {};
  for (const one of outcomes.flat()) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
};

describe('processes that each send many messages from one wallet at once', () => {
  test('are all served, across the end of a band at the price of each place, and each coin and position is accounted for', async () => {
    world.prices = premiumPrices([100, 10], [null, 7]);
    const actor = await world.organization(100_000);
    expect(await sendFromAll(actor)).toEqual({ 10: 100, 7: SENDS - 100 });
    const { balance, messages } = await checkMoney(world.table, actor.organizationId);
    expect([balance, messages.length]).toEqual([100_000 - 1_000 - (SENDS - 100) * 7, SENDS]);
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

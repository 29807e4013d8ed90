import { beforeEach, describe, expect, test } from 'vitest';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { edgesOf, type PriceTable, priceRowOf } from '../../shared/domain/pricing/prices.ts';
import { WARNING_LEVEL } from '../../shared/domain/wallet/wallet.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { checkLanes } from '../../shared/storage/wallet/recall.ts';
import { readVolume } from '../../shared/storage/wallet/volumes.ts';
import { checkMoney } from '../support/money.ts';
import { useSendingProcesses } from '../support/sending-processes.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

/** Processes that send at once, and sends of each. */
const PROCESSES = 20;
const SENDS = 8;
const PRICE = 1_000;
const PRICES: PriceTable = [{ channel: 'sms', route: 'otp', unit: 'segment', bands: [{ upTo: null, coins: PRICE }] }];

const world = await use(startWorld('live'));
beforeEach(() => {
  world.reset();
  world.prices = PRICES;
});

const processes = await useSendingProcesses(world, PROCESSES);

/** Every process sends one message after the other; the names of the outcomes, and how many there were of each. */
const sendFromAll = async (actor: Actor) => {
  const outcomes = await Promise.all(
    processes.map(async ({ ports }, at) => {
      const own: string[] = [];
      for (let send = 0; send < SENDS; send++) {
        const request = { to: '+5511987654321', body: 'Oi', route: 'otp' } as const;
        const sent = await sendSms(ports, actor, `key-${at}-${send}`, request);
        own.push(isRefusal(sent) ? sent.name : 'sent');
      }
      return own;
    }),
  );
  return Object.fromEntries(
    Object.entries(Object.groupBy(outcomes.flat(), (name) => name)).map(([name, all = []]) => [name, all.length]),
  );
};

const settled = async ({ organizationId }: Actor) => {
  const price = priceRowOf(PRICES, 'sms', 'otp');
  for (let turn = 0; turn < 3; turn++) {
    world.now += 31_000;
    await checkLanes(world.table, organizationId, price ? edgesOf(price) : [], world.now);
  }
  return (await readWallet(world.table, organizationId))?.wallet;
};

describe('twenty processes that send from one wallet concurrently', () => {
  test('are all served, through lanes that close at low traffic, and each coin and position is accounted for', async () => {
    const coins = 10_000_000;
    const actor = await world.organization(coins);
    expect(await sendFromAll(actor)).toEqual({ sent: PROCESSES * SENDS });
    const { balance, messages } = await checkMoney(world.table, actor.organizationId);
    expect(balance).toBe(coins - PROCESSES * SENDS * PRICE);
    expect(new Set(messages.map(({ lane }) => lane)).size).toBeGreaterThan(4);
    expect(await settled(actor)).toMatchObject({ balance, leased: 0, lanes: 0, opened: 0, sms: PROCESSES * SENDS });
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance, held: 0 });
    const month = await readVolume(world.table, actor.organizationId, 'sms', '202603');
    expect(month.taken - month.free.reduce((sum, { units }) => sum + units, 0)).toBe(PROCESSES * SENDS);
  });

  test('spend its last coin and no more: exactly as many sends as it pays for; the others are refused, and the low balance is reported once', async () => {
    const paid = PROCESSES * SENDS - 40;
    const actor = await world.organization(paid * PRICE + PRICE - 1);
    expect(await sendFromAll(actor)).toEqual({ sent: paid, PAYMENT_REQUIRED: 40 });
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: PRICE - 1, held: 0 });
    const warnings = (await world.raised()).map(({ type }) => type).filter((type) => type.startsWith('wallet.'));
    expect(warnings).toEqual(['wallet.low_balance']);
    expect(await settled(actor)).toMatchObject({ warned: WARNING_LEVEL.depleted, opened: 0 });
  });
});

import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import { coinsOn, sendOn, tally } from '../support/channel-sends.ts';
import { checkMoney } from '../support/money.ts';
import { MODELLED } from '../support/send-model.ts';
import { startWorld, type World } from '../support/world.ts';
import type { Part, PartOptions, Report } from './part.ts';

const CONCURRENCY = 200;
const ROUNDS_PER_WORLD = 20;

/** One race: its world and channel, and the price of a message there, in coins. */
interface Race {
  readonly world: World;
  readonly channel: Channel;
  readonly price: number;
}

const failUnless = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`a race of ${CONCURRENCY}: ${what}`);
};

/** Sends at once, of an organization with these coins; exactly one message is sent and charged. The answers by name. */
const race = async ({ world, channel, price }: Race, coins: number, keyOf: (at: number) => string) => {
  const actor = await world.organization(coins);
  const sends = Array.from({ length: CONCURRENCY }, async (_, at) => {
    const answer = await sendOn(channel)(world, actor, keyOf(at));
    return isRefusal(answer) ? answer.name : 'sent';
  });
  const answers = tally(await Promise.all(sends));
  const sent = world.provider.dispatched.length;
  failUnless(sent === 1, `${sent} messages were sent; answers ${JSON.stringify(answers)}`);
  const { balance } = await checkMoney(world.table, actor.organizationId);
  failUnless(balance === coins - price, `the balance is ${balance}`);
  return answers;
};

/** One key: one message; every other answer is its replay or 409. */
const sameKey = async (of: Race): Promise<void> => {
  const answers = await race(of, of.price * CONCURRENCY, () => 'one-key');
  const isExpected = Object.keys(answers).every((name) => name === 'sent' || name === 'CONFLICT');
  failUnless(isExpected, `answers ${JSON.stringify(answers)}`);
};

/** The last coins: one is sent, all others are refused for lack of funds. */
const lastCoin = async (of: Race): Promise<void> => {
  const answers = await race(of, of.price, (at) => `key-${at}`);
  const isExpected = answers.sent === 1 && answers.PAYMENT_REQUIRED === CONCURRENCY - 1;
  failUnless(isExpected, `answers ${JSON.stringify(answers)}`);
};

const RACES = [sameKey, lastCoin];

const run = async ({ count, seed, late }: PartOptions): Promise<Report> => {
  let rounds = 0;
  while (rounds < count && !late()) {
    const world = await startWorld('live');
    for (let turn = 0; turn < ROUNDS_PER_WORLD && rounds < count && !late(); turn++) {
      world.provider.dispatched.length = 0;
      const channel = MODELLED[(seed + rounds) % MODELLED.length] ?? 'sms';
      const run = RACES[Math.floor(rounds / MODELLED.length) % RACES.length];
      await run?.({ world, channel, price: await coinsOn(world, channel) });
      rounds += 1;
    }
    await world.close();
  }
  const channels = Math.min(rounds, MODELLED.length);
  return {
    done: rounds,
    figures: { channels, 'sends at once': CONCURRENCY, 'second messages': 0, 'wrong balances': 0 },
  };
};

/** Same key and last coin in turns, 200 at once, on every channel in turn. The machine decides what interleaves, so a seed repeats nothing here. */
export const races: Part = { whole: 1_000, unit: 'races', run };

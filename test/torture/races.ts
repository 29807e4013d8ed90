import { CHANNELS } from '../../shared/domain/channels/registry.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import { coinsOn, sendOn } from '../support/channel-plans-live.ts';
import { checkMoney } from '../support/money.ts';
import { startWorld, type World } from '../support/world.ts';
import type { Part, PartOptions, Report } from './part.ts';

const AT_ONCE = 200;
const ROUNDS_PER_WORLD = 20;

/** One race: the world, the channel that it is run on, and what a message costs there, in coins. */
interface Race {
  readonly world: World;
  readonly channel: Channel;
  readonly price: number;
}

const outcomes = async (
  { world, channel }: Race,
  actor: Actor,
  keyOf: (at: number) => string,
): Promise<Map<string, number>> => {
  const found = new Map<string, number>();
  const one = async (at: number) => {
    const answer = await sendOn(channel)(world, actor, keyOf(at));
    const name = isRefusal(answer) ? answer.name : 'sent';
    found.set(name, (found.get(name) ?? 0) + 1);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => one(at)));
  return found;
};

const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`a race of ${AT_ONCE}: ${what}`);
};

/** One key: one message; everyone else reads the same message, or is told to wait. */
const sameKey = async (race: Race): Promise<void> => {
  const { world, price } = race;
  const actor = await world.organization(price * AT_ONCE);
  const found = await outcomes(race, actor, () => 'one-key');
  must(
    [...found.keys()].every((name) => name === 'sent' || name === 'CONFLICT'),
    `answers ${JSON.stringify([...found])}`,
  );
  must(world.provider.dispatched.length === 1, `${world.provider.dispatched.length} messages went out`);
  const { balance } = await checkMoney(world.table, actor.organizationId);
  must(balance === price * (AT_ONCE - 1), `the balance is ${balance}`);
};

/** The last coins: one is sent, all others are refused for lack of funds. */
const lastCoin = async (race: Race): Promise<void> => {
  const { world, price } = race;
  const actor = await world.organization(price);
  const found = await outcomes(race, actor, (at) => `key-${at}`);
  must(
    found.get('sent') === 1 && found.get('PAYMENT_REQUIRED') === AT_ONCE - 1,
    `answers ${JSON.stringify([...found])}`,
  );
  must(world.provider.dispatched.length === 1, `${world.provider.dispatched.length} messages went out`);
  const { balance } = await checkMoney(world.table, actor.organizationId);
  must(balance === 0, `the balance is ${balance}`);
};

const RACES = [sameKey, lastCoin];

const run = async ({ count, seed, late }: PartOptions): Promise<Report> => {
  let rounds = 0;
  while (rounds < count && !late()) {
    const world = await startWorld('live');
    for (let turn = 0; turn < ROUNDS_PER_WORLD && rounds < count && !late(); turn++) {
      world.provider.dispatched.length = 0;
      const channel = CHANNELS[(seed + rounds) % CHANNELS.length] ?? 'sms';
      const race = RACES[Math.floor(rounds / CHANNELS.length) % RACES.length];
      await race?.({ world, channel, price: await coinsOn(world, channel) });
      rounds += 1;
    }
    await world.close();
  }
  return {
    done: rounds,
    figures: {
      channels: Math.min(rounds, CHANNELS.length),
      'sends at once': AT_ONCE,
      'second messages': 0,
      'wrong balances': 0,
    },
  };
};

/** Same key and last coin in turns, 200 at once, on every channel in turn. What interleaves is the machine's choice, so a seed repeats nothing here. */
export const races: Part = { whole: 1_000, unit: 'races', run };

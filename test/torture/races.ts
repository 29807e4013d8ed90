import type { Actor } from '../../shared/domain/actor.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { sendSms } from '../../shared/domain/sms/send.ts';
import { checkMoney } from '../support/money.ts';
import { startWorld, type World } from '../support/world.ts';
import type { Part, PartOptions, Report } from './part.ts';

const AT_ONCE = 200;
const PRICE = 800;
const ROUNDS_PER_WORLD = 20;
const REQUEST = { to: '+5511987654321', body: 'Seu pedido saiu para entrega.', route: 'premium' } as const;

const outcomes = async (world: World, actor: Actor, keyOf: (at: number) => string): Promise<Map<string, number>> => {
  const found = new Map<string, number>();
  const one = async (at: number) => {
    const answer = await sendSms(world.ports, actor, keyOf(at), REQUEST);
    const name = isRefusal(answer) ? answer.name : 'sent';
    found.set(name, (found.get(name) ?? 0) + 1);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => one(at)));
  return found;
};

const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`a race of ${AT_ONCE}: ${what}`);
};

/** One key: one text; everyone else reads the same message, or is told to wait. */
const sameKey = async (world: World): Promise<void> => {
  const actor = await world.organization(PRICE * AT_ONCE);
  const found = await outcomes(world, actor, () => 'one-key');
  must(
    [...found.keys()].every((name) => name === 'sent' || name === 'CONFLICT'),
    `answers ${JSON.stringify([...found])}`,
  );
  must(world.provider.dispatched.length === 1, `${world.provider.dispatched.length} texts went out`);
  const { balance } = await checkMoney(world.table, actor.organizationId);
  must(balance === PRICE * (AT_ONCE - 1), `the balance is ${balance}`);
};

/** The last coins: one is sent, all others are refused for lack of funds. */
const lastCoin = async (world: World): Promise<void> => {
  const actor = await world.organization(PRICE);
  const found = await outcomes(world, actor, (at) => `key-${at}`);
  must(
    found.get('sent') === 1 && found.get('PAYMENT_REQUIRED') === AT_ONCE - 1,
    `answers ${JSON.stringify([...found])}`,
  );
  must(world.provider.dispatched.length === 1, `${world.provider.dispatched.length} texts went out`);
  const { balance } = await checkMoney(world.table, actor.organizationId);
  must(balance === 0, `the balance is ${balance}`);
};

const RACES = [sameKey, lastCoin];

const run = async ({ count, late }: PartOptions): Promise<Report> => {
  let rounds = 0;
  while (rounds < count && !late()) {
    const world = await startWorld('live');
    for (let turn = 0; turn < ROUNDS_PER_WORLD && rounds < count && !late(); turn++) {
      world.provider.dispatched.length = 0;
      await RACES[rounds % RACES.length]?.(world);
      rounds += 1;
    }
    await world.close();
  }
  return { done: rounds, figures: { 'sends at once': AT_ONCE, 'second texts': 0, 'wrong balances': 0 } };
};

/** Same key and last coin in turns, 200 at once. What interleaves is the machine's choice, so a seed repeats nothing here. */
export const races: Part = { whole: 1_000, unit: 'races', run };

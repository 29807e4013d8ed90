import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { creditWallet, noteDepleted } from '../../shared/storage/wallet/wallet.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

let organizationId: Id<'organization'>;
const world = await use(startWorld('live'));
beforeEach(async () => {
  ({ organizationId } = await world.organization(700));
});

const credit = (coins: number, table: Table = world.table, once: { readonly idempotencyKey?: string } = {}) =>
  creditWallet(table, { organizationId, env: 'live', coins, description: 'Top-up', now: world.now, ...once });
const note = (table: Table = world.table) => noteDepleted(table, { organizationId, env: 'live', now: world.now });

/** The table; `meanwhile` happens once, between the first read and the write. */
const overtakenBy = (meanwhile: () => Promise<unknown>): Table => {
  let overtaken = false;
  const get: Table['get'] = async (...args) => {
    const row = await world.table.get(...args);
    if (!overtaken) {
      overtaken = true;
      await meanwhile();
    }
    return row;
  };
  const transact: Table['transact'] = (...args) => world.table.transact(...args);
  const write: Table['write'] = (...args) => world.table.write(...args);
  return { get, transact, write } as Table;
};

test('a depleted wallet raises one event, despite concurrent refusals, and another only after a credit', async () => {
  const first = (await Promise.all(Array.from({ length: 10 }, () => note()))).filter(Boolean);
  expect(first).toMatchObject([{ type: 'wallet.depleted', data: { balanceCoins: 700 } }]);
  expect(await note()).toBeUndefined();
  await credit(100);
  expect(await note()).toMatchObject({ type: 'wallet.depleted', data: { balanceCoins: 800 } });
});

test('a wallet that is credited while a refusal is being recorded is not marked depleted', async () => {
  expect(await note(overtakenBy(() => credit(5_000)))).toBeUndefined();
  expect(await readWallet(world.table, organizationId)).toMatchObject({ balance: 5_700, wallet: { warned: 0 } });
});

test('a credit answers with the balance that includes concurrent credits', async () => {
  const overtaken = overtakenBy(() => credit(1_000));
  expect(await credit(50, overtaken)).toEqual({ balanceCoins: 1_750 });
  expect(await checkMoney(world.table, organizationId)).toMatchObject({ balance: 1_750 });
});

describe('a credit whose answer is lost', () => {
  const keys = [{}, { idempotencyKey: 'invoice-1' }] as const;
  /** The answers of the next transactions that credit are lost; `before` each repeat something else happens. */
  const losing = (times: number, before = async (): Promise<unknown> => undefined): Table => {
    let left = times;
    world.proxy.plan(({ action }) => (action === 'TransactWriteItems' && left-- > 0 ? FAULTS.loseAnswer : undefined));
    onTestFinished(() => world.proxy.plan(undefined));
    const transact: Table['transact'] = async (...args) => {
      const outcome = await world.table.transact(...args);
      await before();
      return outcome;
    };
    const get: Table['get'] = (...args) => world.table.get(...args);
    const query: Table['query'] = (...args) => world.table.query(...args);
    return { get, query, transact } as Table;
  };

  test.each(keys)('is made once, and answers with the balance after it: %o', async (once) => {
    expect(await credit(50, losing(2), once)).toEqual({ balanceCoins: 750 });
    expect(await checkMoney(world.table, organizationId)).toMatchObject({ balance: 750 });
  });

  test.each(keys)('and that meets another credit is made once: %o', async (once) => {
    let met = false;
    const meanwhile = async () => {
      if (met) return;
      met = true;
      await credit(1_000);
    };
    expect(await credit(50, losing(1, meanwhile), once)).toEqual({ balanceCoins: 1_750 });
    expect(await checkMoney(world.table, organizationId)).toMatchObject({ balance: 1_750 });
  });
});

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

/** The table, some of whose calls are these. */
const tableWith = (calls: Partial<Pick<Table, 'get' | 'transact'>>): Table => {
  const { table } = world;
  const [get, query] = [table.get.bind(table), table.query.bind(table)];
  const [transact, write] = [table.transact.bind(table), table.write.bind(table)];
  return { get, query, transact, write, ...calls } as Table;
};

/** A call of the table after whose first answer something else happens, before its caller has the answer. */
const followedBy = <Args extends unknown[], Answer>(
  call: (...args: Args) => Promise<Answer>,
  meanwhile: () => Promise<unknown>,
) => {
  let happened = false;
  return async (...args: Args): Promise<Answer> => {
    const answer = await call(...args);
    if (!happened) {
      happened = true;
      await meanwhile();
    }
    return answer;
  };
};

/** The table; `meanwhile` happens once, between the first read and the write. */
const overtakenBy = (meanwhile: () => Promise<unknown>): Table =>
  tableWith({ get: followedBy(world.table.get.bind(world.table), meanwhile) });

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
  /** The answers of the next transactions are lost. */
  const loseAnswers = (count: number): void => {
    let left = count;
    world.proxy.plan(({ action }) => (action === 'TransactWriteItems' && left-- > 0 ? FAULTS.loseAnswer : undefined));
    onTestFinished(() => world.proxy.plan(undefined));
  };

  test.each(keys)('is made once, and answers with the balance after it: %o', async (once) => {
    loseAnswers(2);
    expect(await credit(50, world.table, once)).toEqual({ balanceCoins: 750 });
    expect(await checkMoney(world.table, organizationId)).toMatchObject({ balance: 750 });
  });

  test.each(keys)('is made once though another follows it at once: %o', async (once) => {
    loseAnswers(1);
    const transact = followedBy(world.table.transact.bind(world.table), () => credit(1_000));
    expect(await credit(50, tableWith({ transact }), once)).toEqual({ balanceCoins: 1_750 });
    expect(await checkMoney(world.table, organizationId)).toMatchObject({ balance: 1_750 });
  });
});

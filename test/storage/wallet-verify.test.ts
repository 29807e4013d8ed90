import { expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { organizationIds } from '../../shared/storage/access/organizations.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { verifyWallet } from '../../shared/storage/wallet/verify.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('live'));
const verify = (organizationId: Parameters<typeof verifyWallet>[1]) => verifyWallet(world.table, organizationId);
/** An organization that sent two messages, of which one was refused. */
const spender = async () => {
  const actor = await world.organization(100_000);
  await world.sms(actor);
  world.provider.script = [{ kind: 'refused', detail: 'no', code: '1' } as never];
  await world.sms(actor);
  world.provider.script = [];
  return actor.organizationId;
};

test('money that adds up is right, with the holds that are open', async () => {
  const id = await spender();
  const { balance, entries, openHolds, faults } = await verify(id);
  expect({ openHolds, faults }).toEqual({ openHolds: 0, faults: [] });
  expect(entries).toBeGreaterThanOrEqual(4);
  expect(balance).toBeLessThan(100_000);
  expect(await organizationIds(world.table)).toContain(id);
});

test.each([
  ['coins that no entry gave', { update: 'wallet', add: { balance: 5 } }, /the balance is \d+, its entries add up to/],
  ['held coins that no entry holds', { update: 'wallet', add: { held: 5 } }, /\d+ coins are held, by the entries 0/],
  ['a capture that no entry says', { update: 'captured', add: { captured: 7 } }, /the held coins are negative/],
])('%s are found', async (_, { update, add }, fault) => {
  const id = await spender();
  const key = update === 'wallet' ? KEYS.wallet(id) : KEYS.captured(id, 0, 0);
  await world.table.write({ update: key, add: add as Record<string, number> });
  expect((await verify(id)).faults.join()).toMatch(fault);
});

test('a message that gave back more than it held is found, where the sums are right', async () => {
  const id = await spender();
  const [messageId, other] = [newId('message'), newId('message')];
  const entry = { id: newId('entry'), kind: 'capture', coins: 0, createdAt: '2026-11-21T12:00:00.000Z' };
  await world.table.putMany([
    { ...KEYS.entry(id, 0, '1'), ...entry, held: -30, messageId },
    { ...KEYS.entry(id, 0, '2'), ...entry, held: 30, messageId: other },
  ]);
  expect((await verify(id)).faults).toEqual([`${messageId} gave back or captured more than it held`]);
});

test('money that moves while it is checked is no fault', async () => {
  const actor = await world.organization(1_000_000);
  let over = false;
  const sends = Promise.all(
    [1, 2, 3, 4].map(async () => {
      while (!over) await world.sms(actor);
    }),
  );
  for (let turn = 0; turn < 20; turn++) expect((await verify(actor.organizationId)).faults).toEqual([]);
  over = true;
  await sends;
  expect((await verify(actor.organizationId)).openHolds).toBe(0);
});

test('a transaction that a query sees in part is read again', async () => {
  const id = await spender();
  const torn = world.table.named(world.table.name);
  let queries = 0;
  torn.query = async (range) => {
    const page = await world.table.query(range);
    const newest = page.rows.find(({ sk }) => sk.startsWith('E#'));
    return queries++ > 0 ? page : { ...page, rows: page.rows.filter((row) => row !== newest) };
  };
  expect(await verifyWallet(torn, id)).toEqual(await verify(id));
  expect(queries).toBe(2);
});

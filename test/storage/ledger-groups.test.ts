import { expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { entriesIn, entryWrite, groupedEntries } from '../../shared/storage/wallet/entries.ts';
import { type LedgerLine, type LedgerPosition, readLedger } from '../../shared/storage/wallet/ledger.ts';
import { verifyWallet } from '../../shared/storage/wallet/verify.ts';
import { gatheringPorts, sendConcurrently, times } from '../faults/together-kit.ts';
import { premiumPrices } from '../support/channel-plans.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const PRICE = 100;
const world = await use(startWorld('live'));
world.prices = premiumPrices([null, PRICE]);
const ports = gatheringPorts(world);

const sendMany = (actor: Actor, count: number) =>
  sendConcurrently(
    ports,
    actor,
    times(count, () => ({})),
  );
const entryRowsOf = async ({ organizationId }: Actor) =>
  (await world.table.query({ partition: KEYS.wallet(organizationId).pk })).rows.filter(({ sk }) => sk.startsWith('E#'));
const ledgerOf = async ({ organizationId }: Actor, limit: number): Promise<LedgerLine[]> => {
  const lines: LedgerLine[] = [];
  let next: LedgerPosition | undefined;
  do {
    const page = await readLedger(world.table, organizationId, limit, next);
    expect(page.lines.length).toBeLessThanOrEqual(limit);
    lines.push(...page.lines);
    next = page.next;
  } while (next);
  return lines;
};

/** One send by itself, twelve at once, one more, and seven at once. */
const busyActor = async (): Promise<Actor> => {
  const actor = await world.organization(1_000_000, false);
  for (const count of [1, 12, 1, 7]) {
    world.now += 1_000;
    await sendMany(actor, count);
  }
  return actor;
};

test('sends that share a transaction share a row of the ledger, in which each has its entry', async () => {
  const actor = await busyActor();
  const rows = await entryRowsOf(actor);
  const sizes = rows.map((row) => entriesIn(row).length);
  // The credit, then holds and captures.
  expect(sizes).toEqual([1, 1, 1, 12, 12, 1, 1, 7, 7]);
  const messages = rows.flatMap(entriesIn).flatMap(({ kind, messageId }) => (kind === 'hold' ? [messageId] : []));
  expect(new Set(messages).size).toBe(21);
  await checkMoney(world.table, actor.organizationId);
  expect(await verifyWallet(world.table, actor.organizationId)).toMatchObject({
    entries: 1 + 2 * 21,
    openHolds: 0,
    faults: [],
  });
});

test('pages of any size list each entry once, newest first, with the balance after it', async () => {
  const actor = await busyActor();
  const all = await ledgerOf(actor, 200);
  expect(all).toHaveLength(1 + 2 * 21);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const [at, older] of all.slice(1).entries()) {
    const newer = all[at] ?? expect.fail();
    expect(newer.balanceCoins).toBe(older.balanceCoins + newer.coins);
    expect(newer.createdAt >= older.createdAt).toBe(true);
  }
  for (const limit of [1, 2, 5, 12, 13, 25]) expect(await ledgerOf(actor, limit)).toEqual(all);
});

test('a page continues after an entry that is named by the key of its row', async () => {
  const actor = await busyActor();
  const all = await ledgerOf(actor, 200);
  const { lines, next } = await readLedger(world.table, actor.organizationId, 15);
  const last = lines.at(-1) ?? expect.fail();
  const { sk = '' } = (await entryRowsOf(actor)).find((row) => entriesIn(row)[0]?.id === last.id) ?? {};
  expect(next?.sk).toBe(`${sk}#000`);
  const position = { ...(next ?? expect.fail()), sk };
  expect((await readLedger(world.table, actor.organizationId, 200, position)).lines).toEqual(all.slice(15));
});

test('entries of a wallet and of its lanes are in rows of their own, and other writes stay as they are', () => {
  const organizationId = 'org_000000000000000000000' as Actor['organizationId'];
  const entry = (lane: number, coins: number) =>
    entryWrite({ organizationId, lane, kind: 'hold', coins, held: -coins, at: 1_000 });
  const other = { update: KEYS.wallet(organizationId), add: { balance: -6 } };
  const [oldest, ofLane, newest] = [entry(0, -1), entry(1, -2), entry(0, -3)];
  const [first, ...rows] = groupedEntries([oldest, other, ofLane, newest]);
  expect(first).toBe(other);
  const puts = rows.map((write) => ('put' in write ? write.put : expect.fail()));
  expect(puts.map(({ pk }) => pk)).toEqual([KEYS.wallet(organizationId).pk, KEYS.walletLane(organizationId, 1).pk]);
  expect(puts.map((row) => entriesIn(row).map(({ coins }) => coins))).toEqual([[-1, -3], [-2]]);
  expect(puts[0]?.sk).toBe('put' in newest && newest.put.sk);
});

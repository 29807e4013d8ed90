import { beforeEach, describe, expect, test } from 'vitest';
import { checkEscrow } from '../../shared/domain/bulk/escrow.ts';
import { sendChunk } from '../../shared/domain/bulk/send-chunk.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { parseId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import {
  accepted,
  type BulkWorld,
  many,
  NIGHT_MS,
  refresh,
  type Said,
  SLEEPER,
  withBulk,
} from '../support/bulk-world.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { checkMoney, messagesOf } from '../support/money.ts';
import type { World } from '../support/world.ts';

const SMS = 800;
const WEEKS_MS = 60 * 24 * 3600_000;
const REFUSED = { kind: 'refused', cause: 'recipient', detail: '404' } as const;

let world: World;
let bulk: BulkWorld;
withBulk((...given) => {
  [world, bulk] = given;
});
beforeEach(() => {
  refresh(world);
  world.provider.askable = true;
});

const books = (actor: Actor, quiet = false) => checkMoney(world.table, actor.organizationId, { quiet });

/** A batch whose every message the provider answers alike, of an organization that has exactly its price. */
const sends = async (said: readonly Said[], answer: (typeof world.provider.script)[number] = REFUSED) => {
  const actor = await world.organization(said.length * SMS);
  world.provider.script = said.map(() => answer);
  const { batchId } = accepted(await bulk.send(actor, said));
  return { actor, batchId };
};
/** So many messages that leave at once, and after them so many that wait for the morning. */
const withSleepers = (awake: number, asleep: number) => [...many(awake), ...many(asleep, () => ({ to: SLEEPER }))];

/** Transactions that write the wallet while `work` is done. */
const walletWrites = async ({ organizationId }: Actor, work: () => Promise<void>): Promise<number> => {
  let written = 0;
  const wallet = KEYS.wallet(organizationId).pk;
  world.proxy.plan(({ action, body }) => {
    if (action === 'TransactWriteItems' && body.includes(wallet)) written++;
    return undefined;
  });
  await work();
  world.proxy.plan(undefined);
  return written;
};
const passes = (ms: number) => async () => {
  world.now += ms;
  await bulk.dispatch();
};

describe('coins of a bulk message that its provider refused', { timeout: 180_000 }, () => {
  test('are back when the others of its chunk left, in one transaction, though one of them waits for the morning', async () => {
    const { actor } = await sends(withSleepers(40, 1));
    expect(await walletWrites(actor, bulk.work)).toBe(1);
    expect((await books(actor)).balance).toBe(40 * SMS);
    expect(await walletWrites(actor, passes(35_000))).toBe(0);
    await passes(NIGHT_MS)();
    await bulk.settle();
    const { balance, entries } = await books(actor, true);
    expect(balance).toBe(41 * SMS);
    expect(entries.filter(({ kind }) => kind === 'release').map(({ coins }) => coins)).toEqual([40 * SMS, SMS]);
  });

  test('that waited for the morning are back within seconds of it, together, though one of them still waits', async () => {
    const { actor, batchId } = await sends(withSleepers(1, 40));
    await bulk.work();
    world.provider.script = many(41).map(() => REFUSED);
    const asleep = (await messagesOf(world.table, actor.organizationId)).filter(({ to }) => to === SLEEPER);
    /** What the dispatcher hands to the queue of single messages; the last of them it has not found yet. */
    const leave = (from: number, to: number) => async () => {
      world.workItems.push(
        ...asleep.slice(from, to).map(({ id }) => ({ kind: 'send_message' as const, ...KEYS.message(id) })),
      );
      await bulk.work();
    };
    world.now += NIGHT_MS;
    expect(await walletWrites(actor, leave(0, 20))).toBe(1);
    expect((await books(actor)).balance).toBe(21 * SMS);
    world.now += 1_000;
    expect(await walletWrites(actor, leave(20, 39))).toBe(0);
    world.now += 35_000;
    expect(await walletWrites(actor, () => checkEscrow(bulk.chunks, batchId, 0))).toBe(1);
    expect((await books(actor)).balance).toBe(40 * SMS);
    await bulk.settle();
    expect((await books(actor, true)).balance).toBe(41 * SMS);
  });

  test('that its provider never knew are back with its resolution, though one of its chunk waits for the morning', async () => {
    const { actor } = await sends(withSleepers(20, 1), { kind: 'unknown', detail: 'no answer' });
    await bulk.work();
    for (let turn = 0; turn < 4; turn++) await passes(35_000)();
    expect((await books(actor)).balance).toBe(20 * SMS);
    await passes(NIGHT_MS)();
    await bulk.settle();
    await books(actor, true);
  });

  test('are back at once when it was forced out of a chunk that waits for weeks', async () => {
    const scheduledAt = isoTime(world.now + WEEKS_MS);
    const { actor } = await sends(many(5, () => ({ scheduledAt })));
    await bulk.work();
    const [first] = await messagesOf(world.table, actor.organizationId);
    await bulk.one.force(actor, parseId('message', first?.id));
    await bulk.work();
    const { balance, entries } = await books(actor);
    expect(balance).toBe(SMS);
    expect(entries.filter(({ kind }) => kind === 'release')).toMatchObject([{ coins: SMS, messageId: first?.id }]);
    world.now += WEEKS_MS;
    await bulk.settle();
    expect((await books(actor, true)).balance).toBe(5 * SMS);
  });

  test('are back once, however many look at its escrow and whatever answers are lost', async () => {
    const { actor, batchId } = await sends(withSleepers(30, 1));
    const store = { ...bulk.store, settleEscrow: async () => false };
    await sendChunk({ ...bulk.chunks, store }, batchId, 0);
    expect((await books(actor)).balance).toBe(0);
    let seen = 0;
    world.proxy.plan(({ action }) =>
      action === 'TransactWriteItems' && seen++ % 3 === 0 ? FAULTS.loseAnswer : undefined,
    );
    await Promise.all(many(20).map(() => checkEscrow(bulk.chunks, batchId, 0)));
    world.proxy.plan(undefined);
    expect((await books(actor)).balance).toBe(30 * SMS);
    await passes(NIGHT_MS)();
    await Promise.all(many(20).map(() => checkEscrow(bulk.chunks, batchId, 0)));
    await bulk.settle();
    expect((await books(actor, true)).balance).toBe(31 * SMS);
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { checkEscrow } from '../../shared/domain/bulk/escrow.ts';
import { sendChunk } from '../../shared/domain/bulk/send-chunk.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { parseId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { type BulkFields, many, NIGHT_MS, SLEEPER, useBulk } from '../support/bulk-world.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';

const SMS = 800;
const WEEKS_MS = 60 * 24 * 3600_000;
const REFUSED = { kind: 'refused', cause: 'recipient', detail: '404' } as const;

const { world, bulk } = await useBulk();
beforeEach(world.reset);

const ledger = (actor: Actor, quiet = false) => bulk.money(actor, quiet);

/** A batch whose every message the provider answers alike, of an organization that has exactly its price. */
const sends = async (messages: readonly BulkFields[], answer: (typeof world.provider.script)[number] = REFUSED) => {
  const actor = await world.organization(messages.length * SMS);
  world.provider.script = messages.map(() => answer);
  const { batchId } = accepted(await bulk.send(actor, messages));
  return { actor, batchId };
};
/** So many messages that are sent at once, and after them so many in quiet hours. */
const withSleepers = (awake: number, asleep: number) => [...many(awake), ...many(asleep, () => ({ to: SLEEPER }))];

const passes = (ms: number) => async () => {
  world.now += ms;
  await bulk.dispatch();
};

describe('a bulk message that its provider refused', { timeout: 180_000 }, () => {
  test('is refunded once the others of its chunk are sent, in one transaction, though one of them is in quiet hours', async () => {
    const { actor } = await sends(withSleepers(40, 1));
    expect(await bulk.walletWrites(actor, bulk.work)).toBe(1);
    expect((await ledger(actor)).balance).toBe(40 * SMS);
    expect(await bulk.walletWrites(actor, passes(35_000))).toBe(0);
    await passes(NIGHT_MS)();
    await bulk.settle();
    const { balance, entries } = await ledger(actor, true);
    expect(balance).toBe(41 * SMS);
    expect(entries.filter(({ kind }) => kind === 'release').map(({ coins }) => coins)).toEqual([40 * SMS, SMS]);
  });

  test('after quiet hours is refunded within seconds, together with others, though one of them still waits', async () => {
    const { actor, batchId } = await sends(withSleepers(1, 40));
    await bulk.work();
    world.provider.script = many(41).map(() => REFUSED);
    const asleep = (await bulk.messages(actor)).filter(({ to }) => to === SLEEPER);
    /** Messages that the dispatcher enqueues one by one; it has not found the last of them yet. */
    const enqueue = (from: number, to: number) => async () => {
      world.workItems.push(
        ...asleep.slice(from, to).map(({ id }) => ({ kind: 'send_message' as const, ...KEYS.message(id) })),
      );
      await bulk.work();
    };
    world.now += NIGHT_MS;
    expect(await bulk.walletWrites(actor, enqueue(0, 20))).toBe(1);
    expect((await ledger(actor)).balance).toBe(21 * SMS);
    world.now += 1_000;
    expect(await bulk.walletWrites(actor, enqueue(20, 39))).toBe(0);
    world.now += 35_000;
    expect(await bulk.walletWrites(actor, () => checkEscrow(bulk.chunks, batchId, 0))).toBe(1);
    expect((await ledger(actor)).balance).toBe(40 * SMS);
    await bulk.settle();
    expect((await ledger(actor, true)).balance).toBe(41 * SMS);
  });

  test('or never received is refunded when it is recovered, though one of its chunk is in quiet hours', async () => {
    const { actor } = await sends(withSleepers(20, 1), { kind: 'unknown', detail: 'no answer' });
    await bulk.work();
    for (let turn = 0; turn < 4; turn++) await passes(35_000)();
    expect((await ledger(actor)).balance).toBe(20 * SMS);
    await passes(NIGHT_MS)();
    await bulk.settle();
    await ledger(actor, true);
  });

  test('is refunded immediately if it was forced out of a chunk that waits for weeks', async () => {
    const scheduledAt = isoTime(world.now + WEEKS_MS);
    const { actor } = await sends(many(5, () => ({ scheduledAt })));
    await bulk.work();
    const [first] = await bulk.messages(actor);
    await bulk.one.force(actor, parseId('message', first?.id));
    await bulk.work();
    const { balance, entries } = await ledger(actor);
    expect(balance).toBe(SMS);
    expect(entries.filter(({ kind }) => kind === 'release')).toMatchObject([{ coins: SMS, messageId: first?.id }]);
    world.now += WEEKS_MS;
    await bulk.settle();
    expect((await ledger(actor, true)).balance).toBe(5 * SMS);
  });

  test('is refunded once, with any number of concurrent escrow checks and lost responses', async () => {
    const { actor, batchId } = await sends(withSleepers(30, 1));
    const store = { ...bulk.store, settleEscrow: async () => false };
    await sendChunk({ ...bulk.chunks, store }, batchId, 0);
    expect((await ledger(actor)).balance).toBe(0);
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { every: 3 }));
    await Promise.all(many(20).map(() => checkEscrow(bulk.chunks, batchId, 0)));
    world.proxy.plan(undefined);
    expect((await ledger(actor)).balance).toBe(30 * SMS);
    await passes(NIGHT_MS)();
    await Promise.all(many(20).map(() => checkEscrow(bulk.chunks, batchId, 0)));
    await bulk.settle();
    expect((await ledger(actor, true)).balance).toBe(31 * SMS);
  });
});

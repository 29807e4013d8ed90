import { beforeEach, describe, expect, test } from 'vitest';
import { settleEscrow } from '../../shared/domain/bulk/escrow.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { parseId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { many, useBulk } from '../support/bulk-world.ts';
import { FAULTS } from '../support/fault-proxy.ts';

const SMS = 800;
const WEEKS_MS = 60 * 24 * 3600_000;

const { world, bulk } = await useBulk();
beforeEach(world.reset);

const ledger = (actor: Actor, quiet = false) => bulk.money(actor, quiet);
const nameOf = (outcome: object) => (isRefusal(outcome) ? outcome.name : 'done');

/** A batch that is scheduled in weeks, of an organization whose wallet it empties. */
const waiting = async (count: number) => {
  const actor = await world.organization(count * SMS);
  const scheduledAt = isoTime(world.now + WEEKS_MS);
  const scheduled = many(count, () => ({ scheduledAt }));
  const { batchId } = accepted(await bulk.send(actor, scheduled));
  await bulk.work();
  return { actor, batchId, ids: (await bulk.messages(actor)).map(({ id }) => id) };
};
/** Lets the weeks pass, and the batch be sent. */
const sendScheduled = async () => {
  world.now += WEEKS_MS;
  await bulk.settle();
};

describe('a message of a batch that ends before it is sent', { timeout: 180_000 }, () => {
  test('is refunded immediately when it is cancelled, although the others wait for weeks', async () => {
    const { actor, ids } = await waiting(10);
    expect((await ledger(actor)).balance).toBe(0);
    for (const [place, id] of ids.slice(0, 3).entries()) {
      expect(await bulk.one.cancel(actor, id)).toMatchObject({ hold: 'released', reason: 'cancelled' });
      expect((await ledger(actor)).balance).toBe((place + 1) * SMS);
      expect(nameOf(await bulk.one.cancel(actor, id))).toBe('CONFLICT');
      expect((await ledger(actor)).balance).toBe((place + 1) * SMS);
    }
    expect(accepted(await bulk.send(actor, many(3)))).toMatchObject({ accepted: 3 });
    await sendScheduled();
    expect(await ledger(actor, true)).toMatchObject({ balance: 0, held: 0 });
    expect(world.provider.dispatched).toHaveLength(10);
  });

  test('pays for the message that replaces it, in a wallet that is otherwise empty', async () => {
    const { actor, ids } = await waiting(4);
    for (const id of ids) expect(nameOf(await bulk.one.resend(actor, id))).toBe('done');
    expect((await ledger(actor)).balance).toBe(0);
    await bulk.settle();
    expect(await ledger(actor)).toMatchObject({ balance: 0, held: 0 });
    await sendScheduled();
    expect(await ledger(actor, true)).toMatchObject({ balance: 0, held: 0 });
    expect(world.provider.dispatched).toHaveLength(4);
  });

  test('counts towards its replacement: without a provider that is refused for the provider, not for the funds', async () => {
    const { actor, ids } = await waiting(1);
    const id = parseId('message', ids[0]);
    const routing = {
      ...bulk.ports.routing,
      candidates: async () => ({ kind: 'none', missing: 'NO_PROVIDER' }) as const,
    };
    expect(await bulk.one.resend(actor, id, { routing })).toMatchObject({ name: 'DEPENDENCY_FAILED' });
    expect(await ledger(actor)).toMatchObject({ balance: 0, held: SMS });
    await sendScheduled();
    expect(await ledger(actor, true)).toMatchObject({ balance: 0, held: 0 });
  });

  test('like all others of its chunk leaves an escrow that closes with nothing left to release', async () => {
    const { actor, ids } = await waiting(9);
    for (const id of ids) expect(nameOf(await bulk.one.cancel(actor, id))).toBe('done');
    expect(await ledger(actor)).toMatchObject({ balance: 9 * SMS, held: 0 });
    await sendScheduled();
    const { balance, entries } = await ledger(actor, true);
    expect(balance).toBe(9 * SMS);
    expect(entries.filter(({ kind }) => kind === 'release')).toHaveLength(9);
    expect(world.provider.dispatched).toEqual([]);
  });

  test('is named with its batch on the ledger line of its release', async () => {
    const { actor, batchId, ids } = await waiting(2);
    await bulk.one.cancel(actor, parseId('message', ids[0]));
    const released = (await ledger(actor)).entries.filter(({ kind }) => kind === 'release');
    expect(released).toEqual([{ kind: 'release', coins: SMS, held: -SMS, messageId: ids[0], batchId }]);
  });

  test.each([
    ['its answer is lost', FAULTS.loseAnswer, 1],
    ['all of its answers are lost', FAULTS.loseAnswer, 20],
    ['it meets a conflict', FAULTS.conflict(6), 2],
    ['the table is throttled', FAULTS.throttle, 2],
    ['the connection breaks', FAULTS.drop, 20],
  ])('is refunded once, in one transaction, when %s', async (_, fault, times) => {
    const { actor, ids } = await waiting(3);
    const id = parseId('message', ids[0]);
    let left = times;
    const writes = new Set<string>();
    world.proxy.plan(({ action }) => {
      if (!/Transact|Update|Put|Delete|Write/.test(action)) return undefined;
      writes.add(action);
      return left-- > 0 ? fault : undefined;
    });
    const first = await bulk.one.cancel(actor, id).catch((error: Error) => error.name);
    world.proxy.plan(undefined);
    expect([...writes]).toEqual(['TransactWriteItems']);
    const { balance } = await ledger(actor);
    expect([0, SMS]).toContain(balance);
    if (typeof first !== 'string') expect(balance).toBe(SMS);
    await bulk.one.cancel(actor, id);
    expect((await ledger(actor)).balance).toBe(SMS);
    await sendScheduled();
    expect(await ledger(actor, true)).toMatchObject({ balance: SMS, held: 0 });
  });
});

describe('races over the messages of a batch', { timeout: 180_000 }, () => {
  test('between cancels, resends and the chunk that is sent: each message is sent or refunded, once', async () => {
    const { actor, batchId, ids } = await waiting(60);
    world.now += WEEKS_MS;
    const chunk = { kind: 'send_chunk' as const, ...KEYS.batchChunk(batchId, 0) };
    await Promise.all([
      ...ids.map((id, at) => (at % 2 === 0 ? bulk.one.cancel(actor, id) : bulk.one.resend(actor, id))),
      ...[chunk, chunk].map(bulk.workOn),
      ...ids.map((id) => bulk.one.cancel(actor, id)),
    ]);
    await ledger(actor);
    await bulk.settle();
    const quiet = await ledger(actor, true);
    const charged = quiet.messages.filter(({ hold }) => hold === 'captured').map(({ id }) => id);
    const dispatched = world.provider.dispatched.map(({ messageId }) => messageId as string);
    expect([...dispatched].sort()).toEqual([...charged].sort());
    expect(quiet.balance).toBe((60 - charged.length) * SMS);
  });

  test('between a cancel of the last message and 20 closers of its escrow release each coin once', async () => {
    const { actor, batchId, ids } = await waiting(12);
    const [first, ...others] = ids;
    const last = parseId('message', first);
    for (const id of others) await bulk.one.cancel(actor, id);
    const chunk = await bulk.store.readChunk(batchId, 0);
    if (!chunk) throw new Error('there is a chunk');
    await Promise.all([
      bulk.one.cancel(actor, last),
      ...Array.from({ length: 20 }, () => settleEscrow(bulk.chunks, chunk)),
    ]);
    await settleEscrow(bulk.chunks, chunk);
    expect(await ledger(actor, true)).toMatchObject({ balance: 12 * SMS, held: 0 });
  });
});

describe('the wallet', { timeout: 180_000 }, () => {
  test('is written once per chunk for the messages that the provider refused, however many they are', async () => {
    const actor = await world.organization(80 * SMS);
    world.provider.script = many(80).map(() => ({ kind: 'refused', cause: 'recipient', detail: '404' }));
    accepted(await bulk.send(actor, many(80)));
    expect(await bulk.walletWrites(actor, bulk.work)).toBe(1);
    expect(await ledger(actor, true)).toMatchObject({ balance: 80 * SMS, held: 0 });
  });
});

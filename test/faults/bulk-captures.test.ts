import { beforeEach, describe, expect, test } from 'vitest';
import { sendChunk } from '../../shared/domain/bulk/send-chunk.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { parseId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import { accepted } from '../support/accepted.ts';
import { type BulkFields, many, useBulk } from '../support/bulk-world.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';

const SMS = 800;
const WEEKS_MS = 60 * 24 * 3600_000;

const { world, bulk } = await useBulk();
beforeEach(world.reset);

const ledger = (actor: Actor, quiet = false) => bulk.money(actor, quiet);
const capturesIn = async (actor: Actor) => (await ledger(actor)).entries.filter(({ kind }) => kind === 'capture');

/** A batch of an organization that has exactly its price. */
const sends = async (messages: readonly BulkFields[]) => {
  const actor = await world.organization(messages.length * SMS);
  const { batchId } = accepted(await bulk.send(actor, messages));
  return { actor, batchId };
};
const idsOf = async (actor: Actor) => (await bulk.messages(actor)).map(({ id }) => parseId('message', id));
const passes = async (ms: number) => {
  world.now += ms;
  await bulk.dispatch();
};

describe('a bulk message that was forced', { timeout: 180_000 }, () => {
  const waiting = async (count: number) => {
    const scheduledAt = isoTime(world.now + WEEKS_MS);
    const sent = await sends(many(count, () => ({ scheduledAt })));
    await bulk.work();
    return { ...sent, ids: await idsOf(sent.actor) };
  };

  test('is spent when it is sent, although the others of its batch wait for weeks', async () => {
    const { actor, batchId, ids } = await waiting(3);
    const [first] = ids;
    await bulk.one.force(actor, parseId('message', first));
    await bulk.work();
    expect(await ledger(actor)).toMatchObject({ balance: 0, held: 2 * SMS });
    expect(await capturesIn(actor)).toEqual([{ kind: 'capture', coins: 0, held: -SMS, messageId: first, batchId }]);
    await passes(WEEKS_MS);
    await bulk.settle();
    expect(await ledger(actor, true)).toMatchObject({ balance: 0, held: 0 });
    expect((await capturesIn(actor)).map(({ held }) => held)).toEqual([-SMS, -2 * SMS]);
  });

  test('like all others of its batch leaves nothing held, and nothing to spend at the scheduled time', async () => {
    const { actor, ids } = await waiting(3);
    for (const id of ids) await bulk.one.force(actor, id);
    await bulk.work();
    expect(await ledger(actor)).toMatchObject({ balance: 0, held: 0 });
    await passes(WEEKS_MS);
    await bulk.settle();
    await ledger(actor, true);
    expect((await capturesIn(actor)).map(({ held }) => held)).toEqual([-SMS, -SMS, -SMS]);
    expect(world.provider.dispatched).toHaveLength(3);
  });

  test('is spent once, when answers are lost and it races with its chunk', async () => {
    const { actor, batchId, ids } = await waiting(12);
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { every: 3 }));
    await Promise.all(ids.slice(0, 6).map((id) => bulk.one.force(actor, id).catch(() => {})));
    world.now += WEEKS_MS;
    await Promise.all([bulk.work(), ...many(3).map(() => sendChunk(bulk.chunks, batchId, 0).catch(() => {}))]);
    world.proxy.plan(undefined);
    await bulk.settle();
    expect(await ledger(actor, true)).toMatchObject({ balance: 0, held: 0 });
    await bulk.sentOnce(actor, 12);
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { readBatch } from '../../shared/domain/bulk/send.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import { parseId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import { accepted } from '../support/accepted.ts';
import { keyed, many, useBulk } from '../support/bulk-world.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { cancelAndForcePortsOf } from '../support/world-queued.ts';

const SMS = 800;

const { world, bulk } = await useBulk();
beforeEach(world.reset);
const { money, sentOnce } = bulk;
const ids = async (actor: Actor) => (await bulk.messages(actor)).map(({ id }) => id);
const gone = () => {
  throw new Unavailable('the process is gone');
};

describe('a strict batch', () => {
  test('whose later chunk fails is released as a whole, once, and nothing of it is sent', async () => {
    const actor = await world.organization();
    const refusal = await bulk.send(actor, keyed(250), 'strict', {
      reserveChunk: async (reservation) =>
        reservation.chunk < 2 ? bulk.store.reserveChunk(reservation) : ({ kind: 'insufficient', balance: 0 } as const),
    });
    expect(refusal).toMatchObject({ name: 'PAYMENT_REQUIRED' });
    expect((await money(actor)).balance).toBe(1_000_000);
    await bulk.settle();
    expect(world.provider.dispatched).toEqual([]);
    expect((await money(actor)).balance).toBe(1_000_000);
    expect(accepted(await bulk.send(actor, keyed(250), 'strict'))).toMatchObject({ accepted: 250 });
    await bulk.settle();
    await sentOnce(actor, 250);
  });

  test('that a crash left undecided keeps its keys while it may still be decided, and is then released as a whole', async () => {
    const actor = await world.organization();
    const crash = bulk.send(actor, keyed(150), 'strict', { decideBatch: async () => gone() });
    await expect(crash).rejects.toThrow('the process is gone');
    await bulk.work();
    const meanwhile = accepted(await bulk.send(actor, keyed(150)));
    expect(meanwhile).toMatchObject({ accepted: 0, rejected: 150 });
    expect(meanwhile.errors[0]?.code).toBe('conflict');
    world.now += 61_000;
    await bulk.dispatch();
    expect(world.provider.dispatched).toEqual([]);
    expect((await money(actor)).balance).toBe(1_000_000);
    expect(accepted(await bulk.send(actor, keyed(150)))).toMatchObject({ accepted: 150 });
    await bulk.settle();
    await sentOnce(actor, 150);
  });

  test('that is refused is released by one ledger line per chunk, and what was cancelled before not again', async () => {
    const actor = await world.organization();
    const refusal = await bulk.send(actor, many(250), 'strict', {
      reserveChunk: async (reservation) => {
        if (reservation.chunk < 2) return bulk.store.reserveChunk(reservation);
        await bulk.one.cancel(actor, parseId('message', (await ids(actor))[0]));
        return { kind: 'insufficient', balance: 0 };
      },
    });
    expect(refusal).toMatchObject({ name: 'PAYMENT_REQUIRED' });
    const { balance, entries } = await money(actor);
    expect(balance).toBe(1_000_000);
    expect(entries.filter(({ kind }) => kind === 'release')).toHaveLength(3);
  });

  test('refuses to force a message before it is accepted', async () => {
    const actor = await world.organization();
    const forced: unknown[] = [];
    const scheduledAt = isoTime(world.now + 3_600_000);
    const scheduled = many(3, () => ({ scheduledAt }));
    const sent = bulk.send(actor, scheduled, 'strict', {
      decideBatch: async (batch, others) => {
        for (const id of await ids(actor)) forced.push(await bulk.one.force(actor, id));
        await bulk.work();
        return bulk.store.decideBatch(batch, others);
      },
    });
    expect(accepted(await sent)).toMatchObject({ accepted: 3 });
    expect(forced).toHaveLength(3);
    for (const refused of forced) expect(refused).toMatchObject({ name: 'CONFLICT' });
    expect(world.provider.dispatched).toEqual([]);
    const first = parseId('message', (await ids(actor))[0]);
    expect(await bulk.one.force(actor, first)).toMatchObject({ force: true });
    await bulk.work();
    expect(world.provider.dispatched.map(({ messageId }) => messageId)).toEqual([first]);
    world.now += 3_600_000;
    await bulk.settle();
    await sentOnce(actor, 3);
  });

  test('that is refused refuses to force its messages, before and after the refusal', async () => {
    const actor = await world.organization();
    const forceAll = async (name = 'CONFLICT') => {
      for (const id of await ids(actor)) expect(await bulk.one.force(actor, id)).toMatchObject({ name });
    };
    const crash = bulk.send(actor, many(3), 'strict', {
      decideBatch: async (batch) => {
        await forceAll();
        await bulk.store.decideBatch({ ...batch, state: 'rejected' }, []);
        await forceAll();
        return gone();
      },
    });
    await expect(crash).rejects.toThrow('the process is gone');
    world.now += 61_000;
    await bulk.settle();
    await forceAll('NOT_FOUND');
    expect(world.provider.dispatched).toEqual([]);
    expect((await money(actor)).balance).toBe(1_000_000);
  });

  test('answers a resend of its messages with 409 until it is decided, alone or in bulk, queued or cancelled', async () => {
    const actor = await world.organization();
    const answers: unknown[] = [];
    const undecided = { name: 'CONFLICT', details: { retryAfterSeconds: 1 } };
    const sent = bulk.send(actor, many(3), 'strict', {
      decideBatch: async (batch, others) => {
        const taken = await ids(actor);
        await bulk.one.cancel(actor, parseId('message', taken[0]));
        for (const id of taken) answers.push(await bulk.one.resend(actor, id));
        answers.push(await bulk.resendAll(actor, taken));
        return bulk.store.decideBatch(batch, others);
      },
    });
    expect(accepted(await sent)).toMatchObject({ accepted: 3 });
    expect(answers.slice(0, 3)).toMatchObject([undecided, undecided, undecided]);
    expect(answers[3]).toMatchObject({ accepted: 0, rejected: 3, errors: Array(3).fill({ code: 'conflict' }) });
    expect(await bulk.resendAll(actor, await ids(actor))).toMatchObject({ accepted: 3, rejected: 0 });
    await bulk.settle();
    await sentOnce(actor, 3);
  });

  test('that is refused refuses resends while it is being released, and its messages are none afterwards', async () => {
    const actor = await world.organization();
    const crash = bulk.send(actor, many(3), 'strict', {
      decideBatch: async (batch) => {
        await bulk.store.decideBatch({ ...batch, state: 'rejected' }, []);
        return gone();
      },
    });
    await expect(crash).rejects.toThrow('the process is gone');
    const taken = await ids(actor);
    for (const id of taken) expect(await bulk.one.resend(actor, id)).toMatchObject({ name: 'CONFLICT' });
    world.now += 61_000;
    await bulk.settle();
    expect(await bulk.resendAll(actor, taken)).toMatchObject({ accepted: 0, rejected: 3 });
    await bulk.settle();
    expect(world.provider.dispatched).toEqual([]);
  });

  test('counts a message that is cancelled before the decision as accepted and failed, and holds the coins of the others', async () => {
    const actor = await world.organization(3 * SMS);
    const decided = async (state: 'accepted' | 'rejected') => {
      const before = await ids(actor);
      const messages = many(3, (at) => ({ idempotencyKey: `${state}-${at}` }));
      const sent = bulk.send(actor, messages, 'strict', {
        decideBatch: async (batch, others) => {
          const [first] = (await ids(actor)).filter((id) => !before.includes(id));
          const cancelled = await bulk.one.cancel(actor, parseId('message', first));
          expect(cancelled).toMatchObject({ hold: 'released', reason: 'cancelled' });
          expect((await money(actor, false)).balance).toBe(SMS);
          await bulk.store.decideBatch({ ...batch, state }, others);
          return state === 'accepted';
        },
      });
      return { messages, answer: await sent };
    };
    const { answer: refused } = await decided('rejected');
    expect(refused).toMatchObject({ name: 'SERVICE_UNAVAILABLE' });
    expect((await money(actor)).balance).toBe(3 * SMS);
    const { messages, answer } = await decided('accepted');
    expect(accepted(answer)).toMatchObject({ total: 3, accepted: 3, rejected: 0 });
    await bulk.settle();
    const { batchId } = accepted(answer);
    expect(await readBatch(bulk.ports, actor, batchId)).toMatchObject({
      accepted: 3,
      rejected: 0,
      counts: { queued: 0, sent: 2, failed: 1 },
    });
    expect((await money(actor)).balance).toBe(SMS);
    // The cancelled message keeps its key: a repeat of the batch sends none of the three again.
    expect(accepted(await bulk.send(actor, messages, 'strict'))).toMatchObject({ accepted: 3, rejected: 0 });
    await bulk.settle();
    await sentOnce(actor, 2);
  });

  test('costs the resend of a single message, or of one that was attempted, no read', async () => {
    const actor = await world.organization();
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: '404' }];
    accepted(await bulk.send(actor, many(2), 'strict'));
    await bulk.settle();
    const attempted = (await bulk.messages(actor)).find(({ status }) => status === 'failed');
    if (!attempted) throw new Error('one of them was refused');
    const single = { ...attempted, escrow: undefined, attempts: 0, status: 'queued', hold: 'open' } as const;
    const { isUndecided } = cancelAndForcePortsOf(world);
    const calls = await world.proxy.callsOf(async () => {
      for (const message of [attempted, single]) expect(await isUndecided(message)).toBe(false);
    });
    expect(calls).toEqual({});
  });

  test('stays accepted when its decision was stored and the answer was lost', async () => {
    const actor = await world.organization();
    let lost = 0;
    world.proxy.plan(({ action, body }) =>
      action === 'PutItem' && body.includes('"accepted"') && lost++ === 0 ? FAULTS.loseAnswer : undefined,
    );
    expect(accepted(await bulk.send(actor, many(150), 'strict'))).toMatchObject({ accepted: 150 });
    expect(lost).toBeGreaterThan(0);
    world.proxy.plan(undefined);
    await bulk.settle();
    await sentOnce(actor, 150);
  });
});

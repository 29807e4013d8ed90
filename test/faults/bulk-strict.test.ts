import { beforeEach, describe, expect, test } from 'vitest';
import { readBatch } from '../../shared/domain/bulk/accept.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import { parseId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import { accepted, type BulkWorld, keyed, many, sentExactly, withBulk } from '../support/bulk-world.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { checkMoney, messagesOf } from '../support/money.ts';
import type { World } from '../support/world.ts';
import { cancelAndForcePortsOf } from '../support/world-queued.ts';

const SMS = 800;

let world: World;
let bulk: BulkWorld;
withBulk((...given) => {
  [world, bulk] = given;
});
beforeEach(() => {
  world.proxy.plan(undefined);
  world.workItems.length = 0;
  world.provider.dispatched.length = 0;
  world.provider.script = [];
});
const ids = async ({ organizationId }: Actor) => (await messagesOf(world.table, organizationId)).map(({ id }) => id);
const money = (actor: Actor) => checkMoney(world.table, actor.organizationId);
const sentOnce = (actor: Actor, count: number) => sentExactly(world, actor, count);

describe('a strict batch', () => {
  test('whose later chunk fails is released as a whole, once, and nothing of it leaves', async () => {
    const actor = await world.organization(1_000_000);
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

  test('that a crash left undecided keeps its keys while it may still be decided, then gives all of it back', async () => {
    const actor = await world.organization(1_000_000);
    const crash = bulk.send(actor, keyed(150), 'strict', {
      decideBatch: async () => {
        throw new Unavailable('the process is gone');
      },
    });
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

  test('that is refused gives back a line of the ledger a chunk, and what was cancelled before no second time', async () => {
    const actor = await world.organization(1_000_000);
    const refusal = await bulk.send(actor, many(250), 'strict', {
      reserveChunk: async (reservation) => {
        if (reservation.chunk < 2) return bulk.store.reserveChunk(reservation);
        const [first] = await messagesOf(world.table, actor.organizationId);
        await bulk.one.cancel(actor, parseId('message', first?.id));
        return { kind: 'insufficient', balance: 0 };
      },
    });
    expect(refusal).toMatchObject({ name: 'PAYMENT_REQUIRED' });
    const { balance, entries } = await money(actor);
    expect(balance).toBe(1_000_000);
    expect(entries.filter(({ kind }) => kind === 'release')).toHaveLength(3);
  });

  test('lets nobody force a message out before it is accepted', async () => {
    const actor = await world.organization(1_000_000);
    const forced: unknown[] = [];
    const scheduledAt = isoTime(world.now + 3_600_000);
    const sent = bulk.send(
      actor,
      many(3, () => ({ scheduledAt })),
      'strict',
      {
        decideBatch: async (batch, others) => {
          for (const id of await ids(actor)) forced.push(await bulk.one.force(actor, id));
          await bulk.work();
          return bulk.store.decideBatch(batch, others);
        },
      },
    );
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

  test('that is refused has no message that was forced out, whenever that was asked for', async () => {
    const actor = await world.organization(1_000_000);
    const forceAll = async () => {
      for (const { id } of await messagesOf(world.table, actor.organizationId))
        expect(await bulk.one.force(actor, id)).toMatchObject({ name: 'CONFLICT' });
    };
    const crash = bulk.send(actor, many(3), 'strict', {
      decideBatch: async (batch) => {
        await forceAll();
        await bulk.store.decideBatch({ ...batch, state: 'rejected' }, []);
        await forceAll();
        throw new Unavailable('the process is gone');
      },
    });
    await expect(crash).rejects.toThrow('the process is gone');
    world.now += 61_000;
    await bulk.settle();
    await forceAll();
    expect(world.provider.dispatched).toEqual([]);
    expect((await money(actor)).balance).toBe(1_000_000);
  });

  test('has no message sent anew before it is decided, alone or with others, be it queued or cancelled: 409, try again', async () => {
    const actor = await world.organization(1_000_000);
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

  test('that is refused has nothing sent anew while it is taken back, and everything after', async () => {
    const actor = await world.organization(1_000_000);
    const crash = bulk.send(actor, many(3), 'strict', {
      decideBatch: async (batch) => {
        await bulk.store.decideBatch({ ...batch, state: 'rejected' }, []);
        throw new Unavailable('the process is gone');
      },
    });
    await expect(crash).rejects.toThrow('the process is gone');
    const taken = await ids(actor);
    for (const id of taken) expect(await bulk.one.resend(actor, id)).toMatchObject({ name: 'CONFLICT' });
    world.now += 61_000;
    await bulk.settle();
    expect(await bulk.resendAll(actor, taken)).toMatchObject({ accepted: 3, rejected: 0 });
    await bulk.settle();
    await sentOnce(actor, 3);
  });

  test('of which a message is cancelled before it is decided counts it as taken in and failed, and holds the coins of the others', async () => {
    const actor = await world.organization(3 * SMS);
    const decided = async (state: 'accepted' | 'rejected') => {
      const before = await ids(actor);
      const said = many(3, (at) => ({ idempotencyKey: `${state}-${at}` }));
      const sent = bulk.send(actor, said, 'strict', {
        decideBatch: async (batch, others) => {
          const first = parseId(
            'message',
            (await ids(actor)).find((id) => !before.includes(id)),
          );
          expect(await bulk.one.cancel(actor, first)).toMatchObject({ hold: 'released', reason: 'cancelled' });
          expect((await checkMoney(world.table, actor.organizationId, { quiet: false })).balance).toBe(SMS);
          await bulk.store.decideBatch({ ...batch, state }, others);
          return state === 'accepted';
        },
      });
      return { said, answer: await sent };
    };
    const { answer: refused } = await decided('rejected');
    expect(refused).toMatchObject({ name: 'SERVICE_UNAVAILABLE' });
    expect((await money(actor)).balance).toBe(3 * SMS);
    const { said, answer } = await decided('accepted');
    expect(accepted(answer)).toMatchObject({ total: 3, accepted: 3, rejected: 0 });
    await bulk.settle();
    const { batchId } = accepted(answer);
    expect(await readBatch(bulk.ports, actor, batchId)).toMatchObject({
      accepted: 3,
      rejected: 0,
      counts: { queued: 0, sent: 2, failed: 1 },
    });
    expect((await money(actor)).balance).toBe(SMS);
    // Its key stays taken: the same batch again brings it back no more than it brings the others twice.
    expect(accepted(await bulk.send(actor, said, 'strict'))).toMatchObject({ accepted: 3, rejected: 0 });
    await bulk.settle();
    await sentOnce(actor, 2);
  });

  test('costs a message that came alone, or that was tried, no read when it is sent anew', async () => {
    const actor = await world.organization(1_000_000);
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: '404' }];
    accepted(await bulk.send(actor, many(2), 'strict'));
    await bulk.settle();
    const tried = (await messagesOf(world.table, actor.organizationId)).find(({ status }) => status === 'failed');
    if (!tried) throw new Error('one of them was refused');
    const before = new Map(world.proxy.calls);
    const notCalled = cancelAndForcePortsOf(world).isUndecided;
    expect(await notCalled(tried)).toBe(false);
    expect(await notCalled({ ...tried, escrow: undefined, attempts: 0, status: 'queued', hold: 'open' })).toBe(false);
    expect(new Map(world.proxy.calls)).toEqual(before);
  });

  test('whose decision was stored but not answered stands', async () => {
    const actor = await world.organization(1_000_000);
    world.proxy.plan(({ action, body, nth }) =>
      action === 'PutItem' && body.includes('"accepted"') && nth >= 0 ? once() : undefined,
    );
    let lost = 0;
    const once = () => (lost++ === 0 ? FAULTS.loseAnswer : undefined);
    expect(accepted(await bulk.send(actor, many(150), 'strict'))).toMatchObject({ accepted: 150 });
    expect(lost).toBeGreaterThan(0);
    world.proxy.plan(undefined);
    await bulk.settle();
    await sentOnce(actor, 150);
  });
});

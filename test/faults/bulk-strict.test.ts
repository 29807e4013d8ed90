import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/actor.ts';
import { Unavailable } from '../../shared/domain/errors.ts';
import { accepted, type BulkWorld, bulkWorld, keyed, many, sentExactly } from '../support/bulk-world.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let bulk: BulkWorld;
beforeAll(async () => {
  world = await startWorld('live');
  bulk = bulkWorld(world);
});
afterAll(() => world?.close());
beforeEach(() => {
  world.proxy.plan(undefined);
  world.hints.length = 0;
  world.provider.dispatched.length = 0;
});
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

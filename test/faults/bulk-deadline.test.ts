import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type BulkWorld, keyed, withBulk } from '../support/bulk-world.ts';
import { checkMoney } from '../support/money.ts';
import type { World } from '../support/world.ts';

/** More than one chunk. */
const COUNT = 150;
/** Longer than a request takes messages in, in ms. */
const SLOW_MS = 20_000;

let world: World;
let bulk: BulkWorld;
withBulk((...given) => {
  [world, bulk] = given;
});

/** The clock goes on by much once, when the first chunk is taken in. */
const slowOnce = () => {
  let slow = true;
  world.proxy.plan((call) => {
    if (slow && call.action === 'TransactWriteItems') {
      slow = false;
      world.now += SLOW_MS;
    }
    return undefined;
  });
};

describe('a bulk send that is taken in too slowly', { timeout: 120_000 }, () => {
  test('permissive tells what it took in and refuses the rest as unavailable; its repeat takes in the rest', async () => {
    const actor = await world.organization(1_000_000);
    slowOnce();
    const first = await bulk.send(actor, keyed(COUNT), 'permissive');
    world.proxy.plan(undefined);
    if (isRefusal(first)) throw new Error(first.name);
    expect(first.accepted).toBeGreaterThan(0);
    expect(first.rejected).toBeGreaterThan(0);
    expect(first.accepted + first.rejected).toBe(COUNT);
    expect(new Set(first.errors.map(({ code }) => code))).toEqual(new Set(['unavailable']));
    expect(await bulk.send(actor, keyed(COUNT), 'permissive')).toMatchObject({ accepted: COUNT, rejected: 0 });
    await bulk.settle();
    const { messages } = await checkMoney(world.table, actor.organizationId);
    expect(messages.filter(({ hold }) => hold === 'captured')).toHaveLength(COUNT);
  });

  test('strict is refused as a whole and holds nothing; its repeat is accepted', async () => {
    const actor = await world.organization(1_000_000);
    slowOnce();
    const first = await bulk.send(actor, keyed(COUNT), 'strict');
    world.proxy.plan(undefined);
    expect(isRefusal(first) && first.name).toBe('SERVICE_UNAVAILABLE');
    await bulk.settle();
    const { messages } = await checkMoney(world.table, actor.organizationId);
    expect(messages.filter(({ hold }) => hold !== 'released')).toHaveLength(0);
    expect(await bulk.send(actor, keyed(COUNT), 'strict')).toMatchObject({ accepted: COUNT, rejected: 0 });
    await bulk.settle();
  });
});

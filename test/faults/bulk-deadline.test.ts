import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { accepted } from '../support/accepted.ts';
import { keyed, useBulk } from '../support/bulk-world.ts';

/** More than one chunk. */
const COUNT = 150;
/** Longer than a request may accept messages, in ms. */
const SLOW_MS = 20_000;

const { world, bulk } = await useBulk();

/** The first chunk's transaction takes too long. */
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

describe('a bulk send that is reserved too slowly', { timeout: 120_000 }, () => {
  test('accepts a part if permissive and refuses the rest as unavailable; its repeat accepts the rest', async () => {
    const actor = await world.organization();
    slowOnce();
    const first = accepted(await bulk.send(actor, keyed(COUNT), 'permissive'));
    world.proxy.plan(undefined);
    expect(first.accepted).toBeGreaterThan(0);
    expect(first.rejected).toBeGreaterThan(0);
    expect(first.accepted + first.rejected).toBe(COUNT);
    expect(new Set(first.errors.map(({ code }) => code))).toEqual(new Set(['unavailable']));
    expect(await bulk.send(actor, keyed(COUNT), 'permissive')).toMatchObject({ accepted: COUNT, rejected: 0 });
    await bulk.settle();
    const { messages } = await bulk.money(actor);
    expect(messages.filter(({ hold }) => hold === 'captured')).toHaveLength(COUNT);
  });

  test('accepts a beginning at each call, names the rest, and is accepted whole by repeats, however slow', async () => {
    const actor = await world.organization();
    world.proxy.plan((call) => {
      if (call.action === 'TransactWriteItems') world.now += SLOW_MS;
      return undefined;
    });
    let before = 0;
    for (let calls = 1; before < COUNT; calls++) {
      const { accepted: taken, errors } = accepted(await bulk.send(actor, keyed(COUNT), 'permissive'));
      expect(taken).toBeGreaterThan(before);
      expect(errors.map(({ index, code }) => [index, code])).toEqual(
        Array.from({ length: COUNT - taken }, (_, at) => [taken + at, 'unavailable']),
      );
      before = taken;
      expect(calls).toBeLessThanOrEqual(Math.ceil(COUNT / 46));
    }
    world.proxy.plan(undefined);
    await bulk.settle();
    const { messages } = await bulk.money(actor);
    expect(messages.filter(({ hold }) => hold === 'captured')).toHaveLength(COUNT);
    expect(messages).toHaveLength(COUNT);
  });

  test('is refused as a whole if strict and holds nothing; its repeat is accepted', async () => {
    const actor = await world.organization();
    slowOnce();
    const first = await bulk.send(actor, keyed(COUNT), 'strict');
    world.proxy.plan(undefined);
    expect(isRefusal(first) && first.name).toBe('SERVICE_UNAVAILABLE');
    await bulk.settle();
    const { messages } = await bulk.money(actor);
    expect(messages.filter(({ hold }) => hold !== 'released')).toHaveLength(0);
    expect(await bulk.send(actor, keyed(COUNT), 'strict')).toMatchObject({ accepted: COUNT, rejected: 0 });
    await bulk.settle();
  });
});

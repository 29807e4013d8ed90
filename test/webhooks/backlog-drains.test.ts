import { describe, expect, test, vi } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { changeSubscription, revokeSubscription } from '../../shared/domain/webhooks/manage.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { importFresh } from '../support/import-fresh.ts';
import { ok, useWebhooks } from '../support/webhook-world.ts';
import { backlogsOf, HOUR, SECOND } from './backlogs.ts';
import { PATIENCE } from './kit.ts';

const hooks = await useWebhooks();
const on = backlogsOf(hooks);

/** Leases a backlog for a minute, where a drain is due and no other worker has it. */
const tryLease = (subscription: Subscription) =>
  hooks.ports.backlog.lease(subscription, hooks.world.now, hooks.world.now + 60 * SECOND);
const lease = async (subscription: Subscription) => {
  const leased = await tryLease(subscription);
  if (!leased) throw new Error('no drain is due');
  return leased;
};
/** Goes to the moment of the next drain, or stays where that has come. */
const goToDrain = async (subscription: Subscription) => {
  hooks.world.now = Math.max(hooks.world.now, (await on.current(subscription))?.drainAt ?? 0);
};

/** An attempt of `deliver` that its endpoint has not answered, until it is released. */
const unanswered = async (deliver: typeof deliverAll) => {
  const { actor, subscription } = await hooks.subscribe();
  const { promise, resolve: release } = Promise.withResolvers<void>();
  hooks.answers.set(subscription.url, () => promise.then(() => ok()));
  await on.raise(actor, 1);
  const [first] = hooks.workItems.splice(0);
  const attempt = deliver(hooks.ports, [parseId('delivery', first?.id)]);
  await expect.poll(() => hooks.posted.length, PATIENCE).toBe(1);
  const answered = () => {
    release();
    return attempt;
  };
  return { actor, subscription, answered };
};

describe('a backlog', () => {
  test('of a paused subscription waits however long, and is sent as a whole on resume', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'paused' });
    const ids = await on.raise(actor, 25);
    for (let turn = 0; turn < 3; turn++) expect(await on.nextDrain(subscription)).toBeGreaterThan(0.7 * HOUR);
    hooks.world.now += 48 * HOUR;
    expect(hooks.posted).toEqual([]);
    hooks.drains.length = 0;
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'active' });
    expect(hooks.drains).toEqual([{ id: subscription.id, delay: 0 }]);
    await on.drain(subscription);
    expect(new Set(on.idsPosted(subscription))).toEqual(new Set(ids));
    expect(await on.statuses(subscription)).toEqual({ delivered: 25 });
  });

  test('of a revoked subscription is abandoned', async () => {
    const { actor, subscription } = await on.failing();
    await on.raise(actor, 20);
    await revokeSubscription(hooks.ports, actor, subscription.id);
    const before = on.calls('TransactWriteItems');
    await on.drain(subscription);
    expect(on.calls('TransactWriteItems') - before).toBeLessThan(10);
    expect(await on.statuses(subscription)).toEqual({ failed: 5, abandoned: 20 });
    expect(hooks.posted).toEqual([]);
  });

  test('is leased by one worker at a time, and by another when the lease has ended', async () => {
    const { actor, subscription } = await on.failing();
    await on.raise(actor, 2);
    await goToDrain(subscription);
    const leases = await Promise.all(Array.from({ length: 8 }, () => tryLease(subscription)));
    expect(leases.filter(Boolean)).toHaveLength(1);
    await on.drain(subscription);
    expect(hooks.posted).toEqual([]);
    hooks.world.now += 60 * SECOND;
    await on.drain(subscription);
    expect(hooks.posted).toHaveLength(2);
  });

  test('that is empty is closed once nothing can be missing, and never while something joins it', async () => {
    const { actor, subscription } = await on.failing();
    await on.raise(actor, 1);
    hooks.answers.delete(subscription.url);
    await on.nextDrain(subscription);
    await goToDrain(subscription);
    const first = await lease(subscription);
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'paused' });
    await on.raise(actor, 1);
    expect(await hooks.ports.backlog.close(first)).toBe(false);
    expect(await hooks.ports.backlog.rescheduleDrain(first, hooks.world.now)).toBe(true);
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'active' });
    await on.nextDrain(subscription);
    expect(await on.statuses(subscription)).toEqual({ failed: 5, delivered: 2 });
    const emptied = hooks.world.now;
    let drains = 0;
    while ((await on.current(subscription))?.drainAt !== undefined) {
      expect(await on.nextDrain(subscription)).toBeLessThanOrEqual(15 * SECOND);
      drains += 1;
    }
    expect(hooks.world.now - emptied).toBeGreaterThanOrEqual(300 * SECOND);
    expect(drains).toBeLessThan(26);
  });

  test('in which nothing waits cannot be triggered, and costs no drain', async () => {
    const { subscription } = await hooks.subscribe();
    expect(await hooks.ports.backlog.triggerDrain(subscription, hooks.world.now)).toBe(false);
    expect((await on.current(subscription))?.drainAt).toBeUndefined();
  });

  test('that is triggered during a drain is drained once more', async () => {
    const { actor, subscription } = await on.failing();
    await on.raise(actor, 1);
    hooks.world.now += HOUR;
    const leased = await lease(subscription);
    expect(await hooks.ports.backlog.triggerDrain(subscription, hooks.world.now)).toBe(true);
    expect(await hooks.ports.backlog.rescheduleDrain(leased, hooks.world.now + HOUR)).toBe(false);
    expect((await on.current(subscription))?.drainAt).toBe(hooks.world.now);
  });

  test('with a row that does not parse delivers the others, and fails', async () => {
    const { actor, subscription } = await on.failing();
    await on.raise(actor, 3);
    const [bad] = (await on.feed(subscription)).slice(5);
    const key = KEYS.delivery(parseId('delivery', bad?.id));
    await hooks.world.table.write({ update: key, set: { status: 'nothing of ours' } });
    hooks.answers.delete(subscription.url);
    await goToDrain(subscription);
    await expect(on.drain(subscription)).rejects.toThrow();
    expect(hooks.posted).toHaveLength(2);
    expect((await on.current(subscription))?.drainAt).toBeGreaterThan(hooks.world.now);
  });

  test('of an endpoint that answers 410 is abandoned', async () => {
    const { actor, subscription } = await on.failing();
    await on.raise(actor, 5);
    hooks.answers.set(subscription.url, () => ok(410));
    const id = await on.queueTest(actor, subscription);
    hooks.drains.length = 0;
    await on.deliver(id);
    expect(hooks.drains).toEqual([{ id: subscription.id, delay: 0 }]);
    await on.drain(subscription);
    expect(await on.statuses(subscription)).toEqual({ failed: 5, abandoned: 5 });
  });

  test('is joined by new events while the endpoint has not answered another process for two seconds', async () => {
    // Another copy of the module, as another process has it.
    const path = '../../shared/domain/webhooks/deliver.ts';
    const other = await importFresh<typeof import('../../shared/domain/webhooks/deliver.ts')>(
      import.meta.resolve(path),
    );
    const { actor, subscription, answered } = await unanswered(other.deliverAll);
    expect(hooks.posted[0]?.slow?.afterMs).toBe(2_000);
    hooks.posted[0]?.slow?.call();
    await expect
      .poll(async () => (await on.current(subscription))?.slowUntil, PATIENCE)
      .toBe(hooks.world.now + 15 * SECOND);
    await on.raise(actor, 2);
    expect(hooks.workItems).toEqual([]);
    expect(hooks.drains).toHaveLength(1);
    hooks.world.now += 15 * SECOND;
    await on.raise(actor, 1);
    expect(hooks.workItems).toHaveLength(1);
    await answered();
  });

  test('is joined by new events while the endpoint has not answered for two seconds, and drained when it answers', async () => {
    const { actor, subscription, answered } = await unanswered(deliverAll);
    const time = performance.now();
    const watch = vi.spyOn(performance, 'now').mockImplementation(() => time + 2_100);
    try {
      await on.raise(actor, 2);
      expect(hooks.workItems).toEqual([]);
      expect(hooks.drains).toEqual([{ id: subscription.id, delay: 2 }]);
      await on.nextDrain(subscription);
      expect(on.postedTo(subscription)).toHaveLength(1);
    } finally {
      watch.mockRestore();
    }
    await answered();
    await on.nextDrain(subscription);
    expect(await on.statuses(subscription)).toEqual({ delivered: 3 });
  });
});

test('a test event is sent immediately though its subscription is paused', async () => {
  const { actor, subscription } = await hooks.subscribe();
  await changeSubscription(hooks.ports, actor, subscription.id, { status: 'paused' });
  await on.deliver(await on.queueTest(actor, subscription));
  expect(on.postedTo(subscription)).toHaveLength(1);
});

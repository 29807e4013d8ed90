import { describe, expect, test, vi } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { changeSubscription, revokeSubscription, sendTest } from '../../shared/domain/webhooks/manage.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { backlogsOf, HOUR, SECOND } from '../support/webhook-backlog.ts';
import { ok, useWebhooks } from '../support/webhook-world.ts';

const hooks = await useWebhooks();
const on = backlogsOf(hooks);

describe('a backlog', () => {
  test('of a paused subscription waits however long, and is sent whole on resume, oldest first', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'paused' });
    const ids = await on.give(actor, 25);
    for (let turn = 0; turn < 3; turn++) expect(await on.nextDrain(subscription)).toBeGreaterThan(0.7 * HOUR);
    hooks.world.now += 48 * HOUR;
    expect(hooks.posted).toEqual([]);
    hooks.looks.length = 0;
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'active' });
    expect(hooks.looks).toEqual([{ id: subscription.id, delay: 0 }]);
    await on.look(subscription);
    expect(new Set(on.idsPosted(subscription))).toEqual(new Set(ids));
    expect(await on.standing(subscription)).toEqual({ delivered: 25 });
  });

  test('of a revoked subscription is given up', async () => {
    const { actor, subscription } = await on.failing();
    await on.give(actor, 20);
    await revokeSubscription(hooks.ports, actor, subscription.id);
    const before = on.calls('TransactWriteItems');
    await on.look(subscription);
    expect(on.calls('TransactWriteItems') - before).toBeLessThan(10);
    expect(await on.standing(subscription)).toEqual({ failed: 5, abandoned: 20 });
    expect(hooks.posted).toEqual([]);
  });

  test('is worked on by one at a time, and by another when its worker is gone', async () => {
    const { actor, subscription } = await on.failing();
    await on.give(actor, 2);
    const { drainAt = 0 } = (await on.now(subscription)) ?? {};
    hooks.world.now = drainAt;
    const takes = Array.from({ length: 8 }, () =>
      hooks.ports.backlog.lease(subscription, drainAt, drainAt + 60 * SECOND),
    );
    expect((await Promise.all(takes)).filter(Boolean)).toHaveLength(1);
    await on.look(subscription);
    expect(hooks.posted).toEqual([]);
    hooks.world.now = drainAt + 60 * SECOND;
    await on.look(subscription);
    expect(hooks.posted).toHaveLength(2);
  });

  test('that is empty is left once nothing can be missing, and never while something joins it', async () => {
    const { actor, subscription } = await on.failing();
    await on.give(actor, 1);
    hooks.answers.delete(subscription.url);
    await on.nextDrain(subscription);
    const taken = async () => {
      const { drainAt = 0 } = (await on.now(subscription)) ?? {};
      hooks.world.now = Math.max(hooks.world.now, drainAt);
      const found = await hooks.ports.backlog.lease(subscription, hooks.world.now, hooks.world.now + 60 * SECOND);
      if (!found) throw new Error('no look is due');
      return found;
    };
    const first = await taken();
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'paused' });
    await on.give(actor, 1);
    expect(await hooks.ports.backlog.close(first)).toBe(false);
    expect(await hooks.ports.backlog.rescheduleDrain(first, hooks.world.now)).toBe(true);
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'active' });
    await on.nextDrain(subscription);
    expect(await on.standing(subscription)).toEqual({ failed: 5, delivered: 2 });
    expect(await on.nextDrain(subscription)).toBe(300 * SECOND);
    expect((await on.now(subscription))?.drainAt).toBeUndefined();
  });

  test('in which nothing waits is not woken, and costs no look', async () => {
    const { subscription } = await hooks.subscribe();
    expect(await hooks.ports.backlog.triggerDrain(subscription, hooks.world.now)).toBe(false);
    expect((await on.now(subscription))?.drainAt).toBeUndefined();
  });

  test('that is woken while somebody looks is looked at once more', async () => {
    const { actor, subscription } = await on.failing();
    await on.give(actor, 1);
    hooks.world.now += HOUR;
    const found = await hooks.ports.backlog.lease(subscription, hooks.world.now, hooks.world.now + 60 * SECOND);
    if (!found) throw new Error('no look is due');
    expect(await hooks.ports.backlog.triggerDrain(subscription, hooks.world.now)).toBe(true);
    expect(await hooks.ports.backlog.rescheduleDrain(found, hooks.world.now + HOUR)).toBe(false);
    expect((await on.now(subscription))?.drainAt).toBe(hooks.world.now);
  });

  test('with a row that does not parse delivers the others, and says so', async () => {
    const { actor, subscription } = await on.failing();
    await on.give(actor, 3);
    const [bad] = (await on.feed(subscription)).slice(5);
    await hooks.world.table.write({
      update: KEYS.delivery(parseId('delivery', bad?.id)),
      set: { status: 'nothing of ours' },
    });
    hooks.answers.delete(subscription.url);
    const { drainAt = 0 } = (await on.now(subscription)) ?? {};
    hooks.world.now = drainAt;
    await expect(on.look(subscription)).rejects.toThrow();
    expect(hooks.posted).toHaveLength(2);
    expect((await on.now(subscription))?.drainAt).toBeGreaterThan(hooks.world.now);
  });

  test('of an endpoint that is gone is given up', async () => {
    const { actor, subscription } = await on.failing();
    await on.give(actor, 5);
    hooks.answers.set(subscription.url, () => ok(410));
    const sent = await sendTest(hooks.ports, actor, subscription.id, 'sms.delivered');
    if ('details' in sent) throw new Error(sent.details.detail);
    hooks.looks.length = 0;
    await deliverAll(hooks.ports, [sent.id]);
    expect(hooks.looks).toEqual([{ id: subscription.id, delay: 0 }]);
    await on.look(subscription);
    expect(await on.standing(subscription)).toEqual({ failed: 5, abandoned: 5 });
  });

  test('is joined by the new events of an endpoint that owes another process an answer for two seconds', async () => {
    const { actor, subscription } = await hooks.subscribe();
    // Another copy of the module, as another process has it.
    vi.resetModules();
    const other = await import('../../shared/domain/webhooks/deliver.ts');
    let release = () => {};
    hooks.answers.set(
      subscription.url,
      () =>
        new Promise((resolve) => {
          release = () => resolve(ok());
        }),
    );
    await on.give(actor, 1);
    const [first] = hooks.workItems.splice(0);
    const attempt = other.deliverAll(hooks.ports, [parseId('delivery', first?.id)]);
    await expect.poll(() => hooks.posted.length, { timeout: 10_000, interval: 20 }).toBe(1);
    expect(hooks.posted[0]?.slow?.afterMs).toBe(2_000);
    hooks.posted[0]?.slow?.call();
    await expect.poll(async () => (await on.now(subscription))?.slowUntil).toBe(hooks.world.now + 15 * SECOND);
    await on.give(actor, 2);
    expect(hooks.workItems).toEqual([]);
    expect(hooks.looks).toHaveLength(1);
    hooks.world.now += 15 * SECOND;
    await on.give(actor, 1);
    expect(hooks.workItems).toHaveLength(1);
    release();
    await attempt;
  });

  test('is joined by the new events of an endpoint that owes an answer for two seconds, and left when it answers', async () => {
    const { actor, subscription } = await hooks.subscribe();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    hooks.answers.set(subscription.url, async () => {
      await held;
      return ok();
    });
    await on.give(actor, 1);
    const [first] = hooks.workItems.splice(0);
    const attempt = deliverAll(hooks.ports, [parseId('delivery', first?.id)]);
    await expect.poll(() => hooks.posted.length, { timeout: 10_000, interval: 20 }).toBe(1);
    const time = performance.now();
    const watch = vi.spyOn(performance, 'now').mockImplementation(() => time + 2_100);
    try {
      await on.give(actor, 2);
      expect(hooks.workItems).toEqual([]);
      expect(hooks.looks).toEqual([{ id: subscription.id, delay: 2 }]);
      await on.nextDrain(subscription);
      expect(on.postedTo(subscription)).toHaveLength(1);
    } finally {
      watch.mockRestore();
    }
    release();
    await attempt;
    await on.nextDrain(subscription);
    expect(await on.standing(subscription)).toEqual({ delivered: 3 });
  });
});

test('a test event leaves at once though its subscription is paused', async () => {
  const { actor, subscription } = await hooks.subscribe();
  await changeSubscription(hooks.ports, actor, subscription.id, { status: 'paused' });
  const sent = await sendTest(hooks.ports, actor, subscription.id, 'sms.delivered');
  if ('details' in sent) throw new Error(sent.details.detail);
  await deliverAll(hooks.ports, [sent.id]);
  expect(on.postedTo(subscription)).toHaveLength(1);
});

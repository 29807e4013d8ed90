import { describe, expect, test } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import { backlogWaitMs } from '../../shared/domain/webhooks/backlog.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { replayOne } from '../../shared/domain/webhooks/history.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { hung, ok, useWebhooks } from '../support/webhook-world.ts';
import { backlogsOf, HOUR, SECOND } from './backlogs.ts';

const hooks = await useWebhooks();
const on = backlogsOf(hooks);

describe('events of a failing endpoint', () => {
  test('wait without a due time of their own, and one drain of all of them is due soon', async () => {
    const { actor, subscription } = await on.failing();
    await on.raise(actor, 3);
    expect(hooks.workItems).toEqual([]);
    expect(hooks.drains).toEqual([{ id: subscription.id, delay: 15 }]);
    const waiting = (await on.feed(subscription))
      .filter(({ inBacklog }) => inBacklog)
      .map(({ id }) => KEYS.delivery(id).pk);
    expect(waiting).toHaveLength(3);
    const due = await on.dueOf('deliver_webhook', hooks.world.now + 30 * 24 * HOUR);
    expect(due.filter((pk) => waiting.includes(pk))).toEqual([]);
    expect(await on.dueOf('drain_backlog', hooks.world.now + 15 * SECOND)).toContain(`WBH#${subscription.id}`);
  });

  test('are attempted ten per drain, one after another, and the rest waits on without a write', async () => {
    let concurrent = 0;
    let mostConcurrent = 0;
    const { actor, subscription } = await on.failing(async () => {
      mostConcurrent = Math.max(mostConcurrent, ++concurrent);
      await new Promise((resolve) => setTimeout(resolve, 1));
      concurrent -= 1;
      return ok(500);
    });
    const ids = await on.raise(actor, 30);
    mostConcurrent = 0;
    await on.nextDrain(subscription);
    expect(on.idsPosted(subscription)).toEqual(ids.slice(0, 10));
    expect(mostConcurrent).toBe(1);
    expect(await on.statuses(subscription)).toEqual({ failed: 15, pending: 20 });
    const [attempted, ...rest] = (await on.feed(subscription)).slice(14);
    expect(await on.dueOf('deliver_webhook', attempted?.nextAttemptAt ?? 0)).toContain(
      KEYS.delivery(parseId('delivery', attempted?.id)).pk,
    );
    for (const delivery of rest)
      expect(await hooks.world.table.get(KEYS.delivery(delivery.id))).toMatchObject({
        attemptCount: 0,
        duePk: expect.stringContaining(`BACKLOG#${subscription.id}#`),
      });
  });

  test('cost a drain one read while no slot is free', async () => {
    const { actor, subscription } = await on.failing();
    await on.raise(actor, 30);
    const release = await on.holdSlots();
    const before = [on.calls('BatchGetItem'), on.calls('TransactWriteItems')];
    await on.drain(subscription);
    expect([on.calls('BatchGetItem'), on.calls('TransactWriteItems')]).toEqual([(before[0] ?? 0) + 2, before[1]]);
    await release();
  });

  test('that hangs get one attempt per drain', async () => {
    const { actor, subscription } = await on.failing(async () => {
      hooks.world.now += 15 * SECOND;
      return hung() as never;
    });
    await on.raise(actor, 5);
    await on.nextDrain(subscription);
    expect(on.postedTo(subscription)).toHaveLength(1);
    expect(await on.statuses(subscription)).toEqual({ failed: 6, pending: 4 });
  });

  test.each([
    [1, 60, 2],
    [3, 60, 8],
    [5, 60, 15],
    [5, 600, 32],
    [9, 600, 60],
    [40, 1_800, 180],
    [5_000, 86_400, 300],
  ])(
    'are drained ever more rarely: after %i failures in %i s, the next drain is in %i s, 20 %% more or less',
    async (failures, outage, wait) => {
      const { subscription } = await hooks.subscribe();
      const failing = { ...subscription, status: 'failing' as const, consecutiveFailures: failures };
      hooks.world.now += outage * SECOND;
      const waitWith = (random: number) => backlogWaitMs({ ...hooks.ports, random: () => random }, failing);
      const waits = [0, 0.5, 0.999_999].map(waitWith);
      expect(waits.map((ms) => ms / SECOND)).toEqual([wait * 0.8, wait, wait * 1.2]);
    },
  );

  test('that join an emptied backlog are drained as soon as others', async () => {
    const { actor, subscription } = await on.failing();
    await on.raise(actor, 2);
    await on.nextDrain(subscription);
    expect(await on.statuses(subscription)).toEqual({ failed: 7 });
    await on.raise(actor, 1);
    expect(await on.nextDrain(subscription)).toBeLessThan(20 * SECOND);
    expect(await on.statuses(subscription)).toEqual({ failed: 8 });
  });

  test('are all delivered, oldest first, as soon as it answers again; new ones are queued immediately', async () => {
    const { actor, subscription } = await on.failing();
    const ids = await on.raise(actor, 130);
    hooks.answers.delete(subscription.url);
    await on.nextDrain(subscription);
    expect(await on.statuses(subscription)).toEqual({ failed: 5, delivered: 130 });
    const rank = new Map(ids.map((id, at) => [id, at]));
    const ranks = on.idsPosted(subscription).map((id) => rank.get(id ?? '') ?? -1);
    // Concurrent posts arrive in any order; no batch of them overtakes another.
    for (const [at, posted] of ranks.entries()) expect(Math.abs(at - posted)).toBeLessThan(16);
    expect(await on.current(subscription)).toMatchObject({ status: 'active', consecutiveFailures: 0 });
    await on.raise(actor, 1);
    expect(hooks.workItems).toHaveLength(1);
  });

  test('are drained immediately when a test event to their endpoint succeeds', async () => {
    const { actor, subscription } = await on.failing();
    await on.raise(actor, 3);
    hooks.answers.delete(subscription.url);
    const id = await on.queueTest(actor, subscription);
    hooks.drains.length = 0;
    await on.deliver(id);
    expect(hooks.drains).toEqual([{ id: subscription.id, delay: 0 }]);
    await on.drain(subscription);
    expect(await on.statuses(subscription)).toEqual({ failed: 5, delivered: 3 });
  });

  test('that wait for 24 hours are abandoned together, without an attempt; younger ones are still attempted', async () => {
    const { actor, subscription } = await on.failing();
    await on.raise(actor, 40);
    hooks.world.now += 24 * HOUR;
    const young = await on.raise(actor, 2);
    const before = on.calls('TransactWriteItems');
    await on.nextDrain(subscription);
    // One by one it would be two for each of the forty.
    expect(on.calls('TransactWriteItems') - before).toBeLessThan(20);
    expect(await on.statuses(subscription)).toEqual({ failed: 7, abandoned: 40 });
    expect(on.idsPosted(subscription)).toEqual(young);
    const [abandoned] = await hooks.ports.deliveries.newest(subscription.id, { status: 'abandoned' }, 1);
    expect(abandoned?.summaries).toEqual([
      { at: hooks.world.now, durationMs: 0, error: 'its endpoint took nothing for 24 hours' },
    ]);
  });
});

describe('at a failing endpoint without a free slot', () => {
  test.each([
    [2 * HOUR, { status: 'failed', attempts: 2 }],
    [24 * HOUR - 10 * SECOND, { status: 'abandoned', attempts: 2, attemptCount: 2 }],
  ])(
    'a retry waits in the backlog, and is abandoned 24 hours after its first attempt, not after its event: %i ms later',
    async (wait, expected) => {
      const { actor, subscription } = await on.failing();
      const [event = ''] = await on.raise(actor, 1);
      hooks.world.now += 23 * HOUR;
      await on.nextDrain(subscription);
      const first = hooks.world.now;
      const retried = (await on.feed(subscription)).at(-1);
      hooks.world.now = retried?.nextAttemptAt ?? Number.NaN;
      const release = await on.holdSlots();
      const found = await deliverAll(hooks.ports, [parseId('delivery', retried?.id)]);
      expect(found).toEqual([{ status: 'fulfilled', value: 'waits' }]);
      await release();
      expect(hooks.world.now - first).toBeLessThan(20 * 60 * SECOND);
      hooks.world.now = Math.max(hooks.world.now, first + wait + 20 * SECOND);
      await on.drain(subscription);
      expect(on.idsPosted(subscription)).toEqual(expected.status === 'failed' ? [event] : []);
      expect((await on.feed(subscription)).at(-1)).toMatchObject(expected);
    },
  );

  test('a replay of an old event has its own 24 hours; with a free slot it is attempted immediately', async () => {
    const { actor, subscription } = await on.failing();
    const [old] = await on.feed(subscription);
    const id = parseId('delivery', old?.id);
    hooks.world.now += 48 * HOUR;
    const replay = () => replayOne(hooks.ports, actor, subscription.id, id);
    await replay();
    await on.deliver(id);
    expect(on.idsPosted(subscription)).toEqual([old?.eventId]);
    await replay();
    const release = await on.holdSlots();
    await on.deliver(id);
    await release();
    hooks.world.now += 23 * HOUR;
    await on.nextDrain(subscription);
    expect(on.idsPosted(subscription)).toEqual([old?.eventId]);
  });
});

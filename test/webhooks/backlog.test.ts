import { describe, expect, test } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import { backlogWaitMs } from '../../shared/domain/webhooks/backlog.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { replayOne } from '../../shared/domain/webhooks/history.ts';
import { sendTest } from '../../shared/domain/webhooks/manage.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { backlogsOf, HOUR, SECOND } from '../support/webhook-backlog.ts';
import { hung, ok, useWebhooks } from '../support/webhook-world.ts';

const hooks = await useWebhooks();
const on = backlogsOf(hooks);

describe('events of a failing endpoint', () => {
  test('wait without a due time of their own, and one look at all of them is due soon', async () => {
    const { actor, subscription } = await on.failing();
    await on.give(actor, 3);
    expect(hooks.workItems).toEqual([]);
    expect(hooks.looks).toEqual([{ id: subscription.id, delay: 15 }]);
    const waiting = (await on.feed(subscription)).filter(({ parked }) => parked).map(({ id }) => KEYS.delivery(id).pk);
    expect(waiting).toHaveLength(3);
    const due = await on.dueOf('deliver_webhook', hooks.world.now + 30 * 24 * HOUR);
    expect(due.filter((pk) => waiting.includes(pk))).toEqual([]);
    expect(await on.dueOf('drain_backlog', hooks.world.now + 15 * SECOND)).toContain(`WBH#${subscription.id}`);
  });

  test('are tried a few at a look, one after another, and the rest waits on without a write', async () => {
    let mapConcurrently = 0;
    let most = 0;
    const { actor, subscription } = await on.failing(async () => {
      most = Math.max(most, ++mapConcurrently);
      await new Promise((resolve) => setTimeout(resolve, 1));
      mapConcurrently -= 1;
      return ok(500);
    });
    const ids = await on.give(actor, 30);
    most = 0;
    await on.nextDrain(subscription);
    expect(on.idsPosted(subscription)).toEqual(ids.slice(0, 10));
    expect(most).toBe(1);
    expect(await on.standing(subscription)).toEqual({ failed: 15, pending: 20 });
    const [tried, ...rest] = (await on.feed(subscription)).slice(14);
    expect(await on.dueOf('deliver_webhook', tried?.nextAttemptAt ?? 0)).toContain(
      KEYS.delivery(parseId('delivery', tried?.id)).pk,
    );
    for (const delivery of rest)
      expect(await hooks.world.table.get(KEYS.delivery(delivery.id))).toMatchObject({
        attemptCount: 0,
        duePk: `BACKLOG#${subscription.id}`,
      });
  });

  test('cost a look one reading while no place is free', async () => {
    const { actor, subscription } = await on.failing();
    await on.give(actor, 30);
    const release = await on.holdPlaces();
    const before = [on.calls('BatchGetItem'), on.calls('TransactWriteItems')];
    await on.look(subscription);
    expect([on.calls('BatchGetItem'), on.calls('TransactWriteItems')]).toEqual([(before[0] ?? 0) + 2, before[1]]);
    await release();
  });

  test('that hangs take one attempt at a look', async () => {
    const { actor, subscription } = await on.failing(async () => {
      hooks.world.now += 15 * SECOND;
      return hung() as never;
    });
    await on.give(actor, 5);
    await on.nextDrain(subscription);
    expect(on.postedTo(subscription)).toHaveLength(1);
    expect(await on.standing(subscription)).toEqual({ failed: 6, pending: 4 });
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
    'are looked at ever more rarely: after %i failed in %i s, in %i s, 20 %% more or less',
    async (failures, outage, wait) => {
      const { subscription } = await hooks.subscribe();
      const ill = { ...subscription, status: 'failing' as const, consecutiveFailures: failures };
      hooks.world.now += outage * SECOND;
      const waits = [0, 0.5, 0.999_999].map((random) => backlogWaitMs({ ...hooks.ports, random: () => random }, ill));
      expect(waits.map((ms) => ms / SECOND)).toEqual([wait * 0.8, wait, wait * 1.2]);
    },
  );

  test('that come after a look which left none are looked at as soon as others', async () => {
    const { actor, subscription } = await on.failing();
    await on.give(actor, 2);
    await on.nextDrain(subscription);
    expect(await on.standing(subscription)).toEqual({ failed: 7 });
    await on.give(actor, 1);
    expect(await on.nextDrain(subscription)).toBeLessThan(20 * SECOND);
    expect(await on.standing(subscription)).toEqual({ failed: 8 });
  });

  test('all leave, oldest first, as soon as it answers again, and new ones leave at once', async () => {
    const { actor, subscription } = await on.failing();
    const ids = await on.give(actor, 130);
    hooks.answers.delete(subscription.url);
    await on.nextDrain(subscription);
    expect(await on.standing(subscription)).toEqual({ failed: 5, delivered: 130 });
    const rank = new Map(ids.map((id, at) => [id, at]));
    const places = on.idsPosted(subscription).map((id) => rank.get(id ?? '') ?? -1);
    // Those that leave together arrive in any order; no turn overtakes another.
    for (const [at, place] of places.entries()) expect(Math.abs(at - place)).toBeLessThan(16);
    expect(await on.now(subscription)).toMatchObject({ status: 'active', consecutiveFailures: 0 });
    await on.give(actor, 1);
    expect(hooks.workItems).toHaveLength(1);
  });

  test('are looked at at once when anything else of it succeeds: a test event, a retry', async () => {
    const { actor, subscription } = await on.failing();
    await on.give(actor, 3);
    hooks.answers.delete(subscription.url);
    const sent = await sendTest(hooks.ports, actor, subscription.id, 'sms.delivered');
    if ('details' in sent) throw new Error(sent.details.detail);
    hooks.looks.length = 0;
    await deliverAll(hooks.ports, [sent.id]);
    expect(hooks.looks).toEqual([{ id: subscription.id, delay: 0 }]);
    await on.look(subscription);
    expect(await on.standing(subscription)).toEqual({ failed: 5, delivered: 3 });
  });

  test('that wait for 24 hours are given up together, without an attempt; younger ones are still tried', async () => {
    const { actor, subscription } = await on.failing();
    await on.give(actor, 40);
    hooks.world.now += 24 * HOUR;
    const young = await on.give(actor, 2);
    const before = on.calls('TransactWriteItems');
    await on.nextDrain(subscription);
    // One by one it would be two for each of the forty.
    expect(on.calls('TransactWriteItems') - before).toBeLessThan(20);
    expect(await on.standing(subscription)).toEqual({ failed: 7, abandoned: 40 });
    expect(on.idsPosted(subscription)).toEqual(young);
    const [given] = await hooks.ports.deliveries.newest(subscription.id, { status: 'abandoned' }, 1);
    expect(given?.summaries).toEqual([
      { at: hooks.world.now, durationMs: 0, error: 'its endpoint took nothing for 24 hours' },
    ]);
  });
});

describe('at a failing endpoint without a free place', () => {
  test.each([
    [2 * HOUR, { status: 'failed', attempts: 2 }],
    [24 * HOUR - 10 * SECOND, { status: 'abandoned', attempts: 2, attemptCount: 2 }],
  ])(
    'a retry waits in the backlog, and is given up 24 hours after its first attempt, not after its event: %i ms later',
    async (wait, standing) => {
      const { actor, subscription } = await on.failing();
      const [event = ''] = await on.give(actor, 1);
      hooks.world.now += 23 * HOUR;
      await on.nextDrain(subscription);
      const first = hooks.world.now;
      const retried = (await on.feed(subscription)).at(-1);
      hooks.world.now = retried?.nextAttemptAt ?? Number.NaN;
      const release = await on.holdPlaces();
      const found = await deliverAll(hooks.ports, [parseId('delivery', retried?.id)]);
      expect(found).toEqual([{ status: 'fulfilled', value: 'waits' }]);
      await release();
      expect(hooks.world.now - first).toBeLessThan(20 * 60 * SECOND);
      hooks.world.now = Math.max(hooks.world.now, first + wait + 20 * SECOND);
      await on.look(subscription);
      expect(on.idsPosted(subscription)).toEqual(standing.status === 'failed' ? [event] : []);
      expect((await on.feed(subscription)).at(-1)).toMatchObject(standing);
    },
  );

  test('a replay of an old event waits for 24 hours of its own; with a free place it is tried at once', async () => {
    const { actor, subscription } = await on.failing();
    const [old] = await on.feed(subscription);
    hooks.world.now += 48 * HOUR;
    const replay = () => replayOne(hooks.ports, actor, subscription.id, parseId('delivery', old?.id));
    await replay();
    await deliverAll(hooks.ports, [parseId('delivery', old?.id)]);
    expect(on.idsPosted(subscription)).toEqual([old?.eventId]);
    await replay();
    const release = await on.holdPlaces();
    await deliverAll(hooks.ports, [parseId('delivery', old?.id)]);
    await release();
    hooks.world.now += 23 * HOUR;
    await on.nextDrain(subscription);
    expect(on.idsPosted(subscription)).toEqual([old?.eventId]);
  });
});

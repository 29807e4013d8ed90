import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/actor.ts';
import { backlogWaitMs } from '../../shared/domain/webhooks/backlog.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { drainBacklog } from '../../shared/domain/webhooks/drain.ts';
import { fanOut } from '../../shared/domain/webhooks/fan-out.ts';
import { changeSubscription, revokeSubscription, sendTest } from '../../shared/domain/webhooks/manage.ts';
import type { DeliveryStatus, Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { overdue } from '../../shared/storage/due.ts';
import { hung, ok, type Posted, startWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;

let hooks: WebhookWorld;
beforeAll(async () => {
  hooks = await startWebhookWorld();
});
afterAll(() => hooks.close());
beforeEach(() => {
  for (const list of [hooks.posted, hooks.hints, hooks.looks]) list.length = 0;
  hooks.random = 0.5;
});

const give = async (actor: Actor, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    hooks.world.now += 1;
    const event = await hooks.event(actor);
    ids.push(event.id);
    expect(await fanOut(hooks.ports, [event])).toMatchObject([{ status: 'fulfilled', value: 1 }]);
  }
  return ids;
};
const now = ({ organizationId, id }: Subscription) => hooks.ports.subscriptions.read(organizationId, id);
/** A subscription whose endpoint failed five events in a row, a minute after its last success. */
const failing = async (
  answer: (post: Posted) => ReturnType<typeof ok> | Promise<ReturnType<typeof ok>> = () => ok(500),
) => {
  const made = await hooks.subscribe();
  hooks.answers.set(made.subscription.url, answer);
  hooks.world.now += 60 * SECOND;
  await give(made.actor, 5);
  await deliverAll(
    hooks.ports,
    hooks.hints.splice(0).map(({ id }) => id),
  );
  expect(await now(made.subscription)).toMatchObject({ status: 'failing', consecutiveFailures: 5 });
  hooks.posted.length = 0;
  hooks.hints.length = 0;
  return made;
};
const look = (subscription: Subscription) => drainBacklog(hooks.ports, subscription);
/** Goes on to the moment of the next look, and looks. */
const nextLook = async (subscription: Subscription): Promise<number> => {
  const { lookAt = Number.NaN } = (await now(subscription)) ?? {};
  const waited = lookAt - hooks.world.now;
  hooks.world.now = Math.max(hooks.world.now, lookAt);
  await look(subscription);
  return waited;
};
const feed = (subscription: Subscription) => hooks.ports.deliveries.feed(subscription.id, 0, 1_000, hooks.world.now);
const standing = async (subscription: Subscription): Promise<Partial<Record<DeliveryStatus, number>>> => {
  const counts: Partial<Record<DeliveryStatus, number>> = {};
  for (const { status } of await feed(subscription)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const postedTo = ({ url }: Subscription) => hooks.posted.filter((post) => post.url === url);
const idsPosted = (subscription: Subscription) => postedTo(subscription).map(({ headers }) => headers['webhook-id']);
const dueOf = async (kind: 'deliver_webhook' | 'drain_backlog', at: number) =>
  (await overdue(hooks.world.table, kind, at, 4_000)).map(({ pk, sk }) => (kind === 'drain_backlog' ? sk : pk));

describe('events of a failing endpoint', () => {
  test('wait without a due time of their own, and one look at all of them is due soon', async () => {
    const { actor, subscription } = await failing();
    await give(actor, 3);
    expect(hooks.hints).toEqual([]);
    expect(hooks.looks).toEqual([{ id: subscription.id, delay: 15 }]);
    const waiting = (await feed(subscription)).filter(({ parked }) => parked).map(({ id }) => KEYS.delivery(id).pk);
    expect(waiting).toHaveLength(3);
    const due = await dueOf('deliver_webhook', hooks.world.now + 30 * 24 * HOUR);
    expect(due.filter((pk) => waiting.includes(pk))).toEqual([]);
    expect(await dueOf('drain_backlog', hooks.world.now + 15 * SECOND)).toContain(`WBH#${subscription.id}`);
  });

  test('are tried a few at a look, one after another, and the rest waits on without a write', async () => {
    let atOnce = 0;
    let most = 0;
    const { actor, subscription } = await failing(async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 1));
      atOnce -= 1;
      return ok(500);
    });
    const ids = await give(actor, 30);
    most = 0;
    await nextLook(subscription);
    expect(idsPosted(subscription)).toEqual(ids.slice(0, 10));
    expect(most).toBe(1);
    expect(await standing(subscription)).toEqual({ failed: 15, pending: 20 });
    const rest = (await feed(subscription)).slice(15);
    for (const delivery of rest)
      expect(await hooks.world.table.get(KEYS.delivery(delivery.id))).toMatchObject({
        attemptCount: 0,
        duePk: `BACKLOG#${subscription.id}`,
      });
  });

  test('that hangs take one attempt at a look', async () => {
    const { actor, subscription } = await failing(async () => {
      hooks.world.now += 15 * SECOND;
      return hung() as never;
    });
    await give(actor, 5);
    await nextLook(subscription);
    expect(postedTo(subscription)).toHaveLength(1);
    expect(await standing(subscription)).toEqual({ failed: 6, pending: 4 });
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

  test('all leave, oldest first, as soon as it answers again, and new ones leave at once', async () => {
    const { actor, subscription } = await failing();
    const ids = await give(actor, 130);
    hooks.answers.delete(subscription.url);
    await nextLook(subscription);
    expect(await standing(subscription)).toEqual({ failed: 5, delivered: 130 });
    const rank = new Map(ids.map((id, at) => [id, at]));
    const places = idsPosted(subscription).map((id) => rank.get(id ?? '') ?? -1);
    // Those that leave together arrive in any order; no turn overtakes another.
    for (const [at, place] of places.entries()) expect(Math.abs(at - place)).toBeLessThan(16);
    expect(await now(subscription)).toMatchObject({ status: 'active', consecutiveFailures: 0 });
    await give(actor, 1);
    expect(hooks.hints).toHaveLength(1);
  });

  test('are looked at at once when anything else of it succeeds: a test event, a retry', async () => {
    const { actor, subscription } = await failing();
    await give(actor, 3);
    hooks.answers.delete(subscription.url);
    const sent = await sendTest(hooks.ports, actor, subscription.id, 'sms.delivered');
    if ('details' in sent) throw new Error(sent.details.detail);
    hooks.looks.length = 0;
    await deliverAll(hooks.ports, [sent.id]);
    expect(hooks.looks).toEqual([{ id: subscription.id, delay: 0 }]);
    await look(subscription);
    expect(await standing(subscription)).toEqual({ failed: 5, delivered: 3 });
  });

  test('that wait for 24 hours are given up together, without an attempt; younger ones are still tried', async () => {
    const { actor, subscription } = await failing();
    await give(actor, 40);
    hooks.world.now += 24 * HOUR;
    const young = await give(actor, 2);
    await nextLook(subscription);
    expect(await standing(subscription)).toEqual({ failed: 7, abandoned: 40 });
    expect(idsPosted(subscription)).toEqual(young);
    const [given] = await hooks.ports.deliveries.newest(subscription.id, { status: 'abandoned' }, 1);
    expect(given?.summaries).toEqual([
      { at: hooks.world.now, durationMs: 0, error: 'its endpoint took nothing for 24 hours' },
    ]);
  });
});

describe('a backlog', () => {
  test('of a paused subscription waits however long, and is sent whole on resume, oldest first', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'paused' });
    const ids = await give(actor, 25);
    for (let turn = 0; turn < 3; turn++) expect(await nextLook(subscription)).toBeGreaterThan(0.7 * HOUR);
    hooks.world.now += 48 * HOUR;
    expect(hooks.posted).toEqual([]);
    hooks.looks.length = 0;
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'active' });
    expect(hooks.looks).toEqual([{ id: subscription.id, delay: 0 }]);
    await look(subscription);
    expect(new Set(idsPosted(subscription))).toEqual(new Set(ids));
    expect(await standing(subscription)).toEqual({ delivered: 25 });
  });

  test('of a revoked subscription is given up', async () => {
    const { actor, subscription } = await failing();
    await give(actor, 20);
    await revokeSubscription(hooks.ports, actor, subscription.id);
    await look(subscription);
    expect(await standing(subscription)).toEqual({ failed: 5, abandoned: 20 });
    expect(hooks.posted).toEqual([]);
  });

  test('is worked on by one at a time, and by another when its worker is gone', async () => {
    const { actor, subscription } = await failing();
    await give(actor, 2);
    const { lookAt = 0 } = (await now(subscription)) ?? {};
    hooks.world.now = lookAt;
    const takes = Array.from({ length: 8 }, () => hooks.ports.backlog.take(subscription, lookAt, lookAt + 60 * SECOND));
    expect((await Promise.all(takes)).filter(Boolean)).toHaveLength(1);
    await look(subscription);
    expect(hooks.posted).toEqual([]);
    hooks.world.now = lookAt + 60 * SECOND;
    await look(subscription);
    expect(hooks.posted).toHaveLength(2);
  });

  test('that is empty is left once nothing can be missing, and never while something joins it', async () => {
    const { actor, subscription } = await failing();
    await give(actor, 1);
    hooks.answers.delete(subscription.url);
    await nextLook(subscription);
    const taken = async () => {
      const { lookAt = 0 } = (await now(subscription)) ?? {};
      hooks.world.now = Math.max(hooks.world.now, lookAt);
      const found = await hooks.ports.backlog.take(subscription, hooks.world.now, hooks.world.now + 60 * SECOND);
      if (!found) throw new Error('no look is due');
      return found;
    };
    const first = await taken();
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'paused' });
    await give(actor, 1);
    expect(await hooks.ports.backlog.close(first)).toBe(false);
    expect(await hooks.ports.backlog.lookAgain(first, hooks.world.now)).toBe(true);
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'active' });
    await nextLook(subscription);
    expect(await standing(subscription)).toEqual({ failed: 5, delivered: 2 });
    expect(await nextLook(subscription)).toBe(300 * SECOND);
    expect((await now(subscription))?.lookAt).toBeUndefined();
  });

  test('that is woken while somebody looks is looked at once more', async () => {
    const { actor, subscription } = await failing();
    await give(actor, 1);
    hooks.world.now += HOUR;
    const found = await hooks.ports.backlog.take(subscription, hooks.world.now, hooks.world.now + 60 * SECOND);
    if (!found) throw new Error('no look is due');
    expect(await hooks.ports.backlog.wake(subscription, hooks.world.now)).toBe(true);
    expect(await hooks.ports.backlog.lookAgain(found, hooks.world.now + HOUR)).toBe(false);
    expect((await now(subscription))?.lookAt).toBe(hooks.world.now);
  });

  test('with a row that does not parse delivers the others, and says so', async () => {
    const { actor, subscription } = await failing();
    await give(actor, 3);
    const [bad] = (await feed(subscription)).slice(5);
    await hooks.world.table.write({ update: KEYS.delivery(bad?.id ?? ''), set: { status: 'nothing of ours' } });
    hooks.answers.delete(subscription.url);
    const { lookAt = 0 } = (await now(subscription)) ?? {};
    hooks.world.now = lookAt;
    await expect(look(subscription)).rejects.toThrow();
    expect(hooks.posted).toHaveLength(2);
    expect((await now(subscription))?.lookAt).toBeGreaterThan(hooks.world.now);
  });
});

import { describe, expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import { drainBacklog } from '../../shared/domain/webhooks/drain.ts';
import { deliveryIdOf } from '../../shared/domain/webhooks/envelope.ts';
import { pullEvents, replayOne, replayRange } from '../../shared/domain/webhooks/history.ts';
import { changeSubscription, revokeSubscription, rotateSecret } from '../../shared/domain/webhooks/manage.ts';
import { overdue } from '../support/index-entries.ts';
import { hung, ok, useWebhooks } from '../support/webhook-world.ts';
import { deliveriesOf, PATIENCE } from './kit.ts';

const hooks = await useWebhooks();
/** One delivery at a time: batches have tests of their own. */
const { raise, fan, queue, queueMany, deliver, stored, current, feed, queueTest } = deliveriesOf(hooks);

describe('a webhook delivery', () => {
  test('reaches each subscription that takes the kind of event, once, however often it is fanned out', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await hooks.subscribe({ events: ['sms.failed'] }, actor);
    const event = await raise(actor);
    const id = deliveryIdOf(subscription.id, event.id);
    expect(await fan([event])).toEqual([id]);
    for (let turn = 0; turn < 3; turn++) await fan([event]);
    await Promise.all(Array.from({ length: 10 }, () => deliver(id)));
    await deliver(id);
    expect(hooks.posted.map(({ url }) => url)).toEqual([subscription.url]);
    expect(JSON.parse(hooks.posted[0]?.body ?? '')).toMatchObject({
      id: event.id,
      type: 'sms.delivered',
      env: 'live',
      sequence: 1,
      organizationId: actor.organizationId,
    });
    expect(await stored(id)).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  test('gets a sequence without gaps, also when 60 events are fanned out concurrently and each twice', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const events = await Promise.all(Array.from({ length: 60 }, () => hooks.event(actor)));
    await Promise.all([...events, ...events].map((event) => fan([event])));
    const all = await feed(subscription);
    expect(all.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
    expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(60);
    const page = await pullEvents(hooks.ports, actor, subscription.id, 55, 3);
    expect(page).toMatchObject({ items: [{ sequence: 56 }, { sequence: 57 }, { sequence: 58 }], lastSequence: 60 });
  });

  test('that fails all day is attempted exactly by the schedule, then abandoned', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => ok(500));
    const id = await queue(actor);
    const start = hooks.world.now;
    const moments: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const before = hooks.posted.length;
      await deliver(id);
      if (hooks.posted.length > before) moments.push((hooks.world.now - start) / 1000);
      const { nextAttemptAt, status } = await stored(id);
      if (status !== 'failed') break;
      hooks.world.now = (nextAttemptAt ?? 0) - 1;
      await deliver(id);
      expect(hooks.posted.length).toBe(moments.length);
      hooks.world.now += 1;
    }
    expect(moments).toEqual([0, 30, 150, 750, 4_350, 25_950, 47_550, 69_150]);
    expect(await stored(id)).toMatchObject({ status: 'abandoned', attempts: 8 });
    expect((await hooks.ports.deliveries.attempts(id)).length).toBe(8);
    expect(await overdue(hooks.world.table, 'deliver_webhook', hooks.world.now + 1e9, 1_000)).not.toContainEqual(
      expect.objectContaining({ pk: `DLV#${id}` }),
    );
  });

  test('that fails for five events in a row makes its subscription failing; the first success makes it active', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => hung());
    for (let at = 1; at <= 5; at++) {
      await deliver(await queue(actor));
      const status = at < 5 ? 'active' : 'failing';
      expect(await current(subscription)).toMatchObject({ consecutiveFailures: at, status });
    }
    hooks.answers.delete(subscription.url);
    const event = await raise(actor);
    await fan([event]);
    await deliver(deliveryIdOf(subscription.id, event.id));
    expect(await current(subscription)).toMatchObject({ consecutiveFailures: 0, status: 'active' });
  });

  test('honours Retry-After on 429 and 503, up to twice the next step', async () => {
    const { actor, subscription } = await hooks.subscribe();
    for (const [status, retryAfter, waits] of [
      [429, '50', 50],
      [503, '100000', 60],
      [500, '50', 30],
    ] as const) {
      hooks.answers.set(subscription.url, () => ok(status, { 'retry-after': retryAfter }));
      const id = await queue(actor);
      await deliver(id);
      expect(((await stored(id)).nextAttemptAt ?? 0) - hooks.world.now).toBe(waits * 1000);
    }
  });

  test('answered 410 revokes the subscription: nothing more is sent, and waiting deliveries are abandoned', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const [first, second] = [await queue(actor), await queue(actor)];
    hooks.answers.set(subscription.url, () => ok(410));
    await deliver(first);
    await deliver(second);
    expect(hooks.posted).toHaveLength(1);
    expect(await stored(second)).toMatchObject({ status: 'abandoned' });
    expect(await queueMany(actor, 1)).toEqual([]);
  });

  test('to a paused subscription waits, and is sent on resume', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'paused' });
    const event = await raise(actor);
    expect(await fan([event])).toEqual([]);
    await deliver(deliveryIdOf(subscription.id, event.id));
    expect(hooks.posted).toEqual([]);
    hooks.world.now += 10_000;
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'active' });
    await drainBacklog(hooks.ports, subscription);
    expect(hooks.posted).toHaveLength(1);
  });

  test('is signed by every live secret while a rotation overlaps, and only by the new one after it', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await rotateSecret(hooks.ports, actor, subscription.id, 24);
    const signatures = async () => {
      await deliver(await queue(actor));
      return hooks.posted.at(-1)?.headers['webhook-signature']?.split(' ').length;
    };
    expect(await signatures()).toBe(2);
    hooks.world.now += 24 * 3_600_000 + 1;
    expect(await signatures()).toBe(1);
  });

  test('that is replayed sends the same event in a new round of attempts; a range replays its own events', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const id = await queue(actor);
    await deliver(id);
    await replayOne(hooks.ports, actor, subscription.id, id);
    await deliver(id);
    const { eventId } = await stored(id);
    expect(hooks.posted.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
    expect(hooks.posted[0]?.body).toBe(hooks.posted[1]?.body);
    const range = { from: hooks.world.now, to: hooks.world.now, status: 'delivered' as const };
    const replay = (over: object) => replayRange(hooks.ports, actor, subscription.id, { ...range, ...over });
    expect(await replay({})).toEqual({ replayed: 1 });
    expect(await replay({ from: 0, to: 1 })).toEqual({ replayed: 0 });
  });

  test('of a test event takes no sequence and does not appear in the feed', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const id = await queueTest(actor, subscription, 'wallet.depleted');
    await deliver(id);
    expect(JSON.parse(hooks.posted[0]?.body ?? '')).not.toHaveProperty('sequence');
    expect(await feed(subscription)).toEqual([]);
    expect(await stored(id)).toMatchObject({ status: 'delivered' });
  });

  test('to a hanging endpoint takes at most four slots, so that another endpoint is not delayed', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const other = await hooks.subscribe();
    const { promise, resolve: release } = Promise.withResolvers<void>();
    hooks.answers.set(subscription.url, () => promise.then(() => hung()));
    const stuck: Id<'delivery'>[] = [];
    for (let at = 0; at < 12; at++) stuck.push(await queue(actor));
    const work = stuck.map((id) => deliver(id));
    await expect.poll(() => hooks.workItems.length, PATIENCE).toBe(8);
    await deliver(await queue(other.actor));
    expect(hooks.posted.filter(({ url }) => url === other.subscription.url)).toHaveLength(1);
    expect(hooks.posted.filter(({ url }) => url === subscription.url)).toHaveLength(4);
    release();
    await Promise.all(work);
  });

  test('shows the recipient in full only where the subscription’s creator may see it', async () => {
    const full = hooks.world.actor();
    const limited = { ...full, scopes: new Set([...full.scopes].filter((scope) => scope !== 'pii:full')) };
    const recipientShown = async (creator: typeof full) => {
      const { actor } = await hooks.subscribe({}, creator);
      await deliver(await queue(actor));
      return JSON.parse(hooks.posted.at(-1)?.body ?? '').data.to;
    };
    expect(await recipientShown(limited)).toBe('+55119****4321');
    expect(await recipientShown(hooks.world.actor())).toBe('+5511987654321');
  });

  test('of a revoked subscription is never made, and revoking twice is the same as once', async () => {
    const { actor, subscription } = await hooks.subscribe();
    expect(await revokeSubscription(hooks.ports, actor, subscription.id)).toBeUndefined();
    expect(await revokeSubscription(hooks.ports, actor, subscription.id)).toBeUndefined();
    expect(await queueMany(actor, 1)).toEqual([]);
    expect(await changeSubscription(hooks.ports, actor, subscription.id, { status: 'active' })).toMatchObject({
      name: 'CONFLICT',
    });
  });
});

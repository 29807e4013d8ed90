import { describe, expect, test } from 'vitest';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { drainBacklog } from '../../shared/domain/webhooks/drain.ts';
import { deliveryIdOf } from '../../shared/domain/webhooks/envelope.ts';
import { fanOut as fanOutAll } from '../../shared/domain/webhooks/fan-out.ts';
import { pullEvents, replayOne, replayRange } from '../../shared/domain/webhooks/history.ts';
import { changeSubscription, revokeSubscription, rotateSecret, sendTest } from '../../shared/domain/webhooks/manage.ts';
import type { WebhookPorts } from '../../shared/domain/webhooks/ports.ts';
import { overdue } from '../../shared/storage/work/due.ts';
import { hung, ok, useWebhooks, type WebhookWorld } from '../support/webhook-world.ts';

const PATIENCE = { timeout: 10_000, interval: 20 };
/** One at a time: batches have tests of their own. */
const deliver = async (ports: WebhookPorts, id: Id<'delivery'>): Promise<void> => {
  expect(await deliverAll(ports, [id])).toMatchObject([{ status: 'fulfilled' }]);
};
const fanOut = async (ports: WebhookPorts, event: DomainEvent): Promise<void> => {
  expect(await fanOutAll(ports, [event])).toMatchObject([{ status: 'fulfilled' }]);
};

const hooks = await useWebhooks();

describe('a webhook delivery', () => {
  const fan = async (actor: Parameters<WebhookWorld['event']>[0], type?: Parameters<WebhookWorld['event']>[1]) => {
    const event = await hooks.event(actor, type);
    hooks.workItems.length = 0;
    await fanOut(hooks.ports, event);
    return { event, ids: hooks.workItems.splice(0).map(({ id }) => id) };
  };
  const read = async (id: Id<'delivery'>) => {
    const delivery = await hooks.ports.deliveries.read(id);
    if (!delivery) throw new Error('there is no such delivery');
    return delivery;
  };

  test('reaches each subscription that takes the kind of event, once, however often it is fanned out', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await hooks.subscribe({ events: ['sms.failed'] }, actor);
    const { event, ids } = await fan(actor);
    expect(ids).toHaveLength(1);
    for (let turn = 0; turn < 3; turn++) await fanOut(hooks.ports, event);
    await Promise.all(Array.from({ length: 10 }, () => deliver(hooks.ports, parseId('delivery', ids[0]))));
    await deliver(hooks.ports, parseId('delivery', ids[0]));
    expect(hooks.posted.map(({ url }) => url)).toEqual([subscription.url]);
    expect(JSON.parse(hooks.posted[0]?.body ?? '')).toMatchObject({
      id: event.id,
      type: 'sms.delivered',
      env: 'live',
      sequence: 1,
      organizationId: actor.organizationId,
    });
    expect(await read(parseId('delivery', ids[0]))).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  test('is given sequences without gaps, also when 60 events are fanned out at once and each twice', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const events = await Promise.all(Array.from({ length: 60 }, () => hooks.event(actor)));
    await Promise.all([...events, ...events].map((event) => fanOut(hooks.ports, event)));
    const feed = await hooks.ports.deliveries.feed(subscription.id, 0, 200, hooks.world.now);
    expect(feed.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
    expect(new Set(feed.map(({ eventId }) => eventId)).size).toBe(60);
    const page = await pullEvents(hooks.ports, actor, subscription.id, 55, 3);
    expect(page).toMatchObject({ items: [{ sequence: 56 }, { sequence: 57 }, { sequence: 58 }], lastSequence: 60 });
  });

  test('that fails all day is tried exactly by the schedule, then given up, its subscription failing', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => ok(500));
    const start = hooks.world.now;
    const { ids } = await fan(actor);
    const moments: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const before = hooks.posted.length;
      await deliver(hooks.ports, parseId('delivery', ids[0]));
      if (hooks.posted.length > before) moments.push((hooks.world.now - start) / 1000);
      const { nextAttemptAt, status } = await read(parseId('delivery', ids[0]));
      if (status !== 'failed') break;
      hooks.world.now = (nextAttemptAt ?? 0) - 1;
      await deliver(hooks.ports, parseId('delivery', ids[0]));
      expect(hooks.posted.length).toBe(moments.length);
      hooks.world.now += 1;
    }
    expect(moments).toEqual([0, 30, 150, 750, 4_350, 25_950, 47_550, 69_150]);
    expect(await read(parseId('delivery', ids[0]))).toMatchObject({ status: 'abandoned', attempts: 8 });
    expect((await hooks.ports.deliveries.attempts(parseId('delivery', ids[0]))).length).toBe(8);
    expect(await overdue(hooks.world.table, 'deliver_webhook', hooks.world.now + 1e9, 1_000)).not.toContainEqual(
      expect.objectContaining({ pk: `DLV#${ids[0]}` }),
    );
  });

  test('that fails for five events in a row makes its subscription failing; the first success makes it active', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => hung());
    for (let at = 1; at <= 5; at++) {
      const { event } = await fan(actor);
      await deliver(hooks.ports, deliveryIdOf(subscription.id, event.id));
      const now = await hooks.ports.subscriptions.read(actor.organizationId, subscription.id);
      expect(now).toMatchObject({ consecutiveFailures: at, status: at < 5 ? 'active' : 'failing' });
    }
    hooks.answers.delete(subscription.url);
    const { event } = await fan(actor);
    await deliver(hooks.ports, deliveryIdOf(subscription.id, event.id));
    expect(await hooks.ports.subscriptions.read(actor.organizationId, subscription.id)).toMatchObject({
      consecutiveFailures: 0,
      status: 'active',
    });
  });

  test('honours Retry-After on 429 and 503, up to twice the next step', async () => {
    const { actor, subscription } = await hooks.subscribe();
    for (const [status, asked, waits] of [
      [429, '50', 50],
      [503, '100000', 60],
      [500, '50', 30],
    ] as const) {
      hooks.answers.set(subscription.url, () => ok(status, { 'retry-after': asked }));
      const { ids } = await fan(actor);
      await deliver(hooks.ports, parseId('delivery', ids[0]));
      expect(((await read(parseId('delivery', ids[0]))).nextAttemptAt ?? 0) - hooks.world.now).toBe(waits * 1000);
    }
  });

  test('answered 410 revokes the subscription: nothing more is sent, and what waits is given up', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const [first, second] = [await fan(actor), await fan(actor)];
    hooks.answers.set(subscription.url, () => ok(410));
    await deliver(hooks.ports, parseId('delivery', first.ids[0]));
    await deliver(hooks.ports, parseId('delivery', second.ids[0]));
    expect(hooks.posted).toHaveLength(1);
    expect(await read(parseId('delivery', second.ids[0]))).toMatchObject({ status: 'abandoned' });
    expect((await fan(actor)).ids).toEqual([]);
  });

  test('to a paused subscription waits, and is sent on resume', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'paused' });
    const { event, ids } = await fan(actor);
    expect(ids).toEqual([]);
    await deliver(hooks.ports, deliveryIdOf(subscription.id, event.id));
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
      const { ids } = await fan(actor);
      await deliver(hooks.ports, parseId('delivery', ids[0]));
      return hooks.posted.at(-1)?.headers['webhook-signature']?.split(' ').length;
    };
    expect(await signatures()).toBe(2);
    hooks.world.now += 24 * 3_600_000 + 1;
    expect(await signatures()).toBe(1);
  });

  test('replayed is the same event in a new round; a range replays what it holds', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const { event, ids } = await fan(actor);
    await deliver(hooks.ports, parseId('delivery', ids[0]));
    await replayOne(hooks.ports, actor, subscription.id, parseId('delivery', ids[0]));
    await deliver(hooks.ports, parseId('delivery', ids[0]));
    expect(hooks.posted.map(({ headers }) => headers['webhook-id'])).toEqual([event.id, event.id]);
    expect(hooks.posted[0]?.body).toBe(hooks.posted[1]?.body);
    const range = { from: hooks.world.now, to: hooks.world.now, status: 'delivered' as const };
    expect(await replayRange(hooks.ports, actor, subscription.id, range)).toEqual({ replayed: 1 });
    expect(await replayRange(hooks.ports, actor, subscription.id, { ...range, from: 0, to: 1 })).toEqual({
      replayed: 0,
    });
  });

  test('of an example takes no sequence and is no event of the feed', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const sent = await sendTest(hooks.ports, actor, subscription.id, 'wallet.depleted');
    if ('details' in sent) throw new Error(sent.details.detail);
    await deliver(hooks.ports, sent.id);
    expect(JSON.parse(hooks.posted[0]?.body ?? '')).not.toHaveProperty('sequence');
    expect(await hooks.ports.deliveries.feed(subscription.id, 0, 10, hooks.world.now)).toEqual([]);
    expect(await read(sent.id)).toMatchObject({ status: 'delivered' });
  });

  test('of a hung endpoint takes at most four places, so that another endpoint is not delayed', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const other = await hooks.subscribe();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    hooks.answers.set(subscription.url, async () => {
      await held;
      return hung();
    });
    const stuck: Id<'delivery'>[] = [];
    for (let at = 0; at < 12; at++) stuck.push(...(await fan(actor)).ids);
    const work = stuck.map((id) => deliver(hooks.ports, id));
    await expect.poll(() => hooks.workItems.length, PATIENCE).toBe(8);
    const { ids } = await fan(other.actor);
    await deliver(hooks.ports, parseId('delivery', ids[0]));
    expect(hooks.posted.filter(({ url }) => url === other.subscription.url)).toHaveLength(1);
    expect(hooks.posted.filter(({ url }) => url === subscription.url)).toHaveLength(4);
    release();
    await Promise.all(work);
  });

  test('shows the recipient in full only where the subscription’s creator may see it', async () => {
    const masked = hooks.world.actor();
    const actor = { ...masked, scopes: new Set([...masked.scopes].filter((scope) => scope !== 'pii:full')) };
    const seen = async (who: typeof actor) => {
      const { actor: of } = await hooks.subscribe({}, who);
      const { ids } = await fan(of);
      await deliver(hooks.ports, parseId('delivery', ids.at(-1)));
      return JSON.parse(hooks.posted.at(-1)?.body ?? '').data.to;
    };
    expect(await seen(actor)).toBe('+55119****4321');
    expect(await seen(hooks.world.actor() as typeof actor)).toBe('+5511987654321');
  });

  test('of a revoked subscription is never made, and revoking twice is the same', async () => {
    const { actor, subscription } = await hooks.subscribe();
    expect(await revokeSubscription(hooks.ports, actor, subscription.id)).toBeUndefined();
    expect(await revokeSubscription(hooks.ports, actor, subscription.id)).toBeUndefined();
    expect((await fan(actor)).ids).toEqual([]);
    expect(await changeSubscription(hooks.ports, actor, subscription.id, { status: 'active' })).toMatchObject({
      name: 'CONFLICT',
    });
  });
});

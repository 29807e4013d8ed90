import { describe, expect, test } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { deliveryIdOf } from '../../shared/domain/webhooks/envelope.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { deliveryStore } from '../../shared/storage/webhooks/deliveries.ts';
import { PAGE_EVENTS } from '../../shared/storage/webhooks/feed-log.ts';
import { useWebhooks } from '../support/webhook-world.ts';
import { Interleaving } from './gated-table.ts';
import { deliveriesOf } from './kit.ts';

const hooks = await useWebhooks();
const { raiseMany, fan, feed } = deliveriesOf(hooks);

const pages = ({ id }: Subscription) => hooks.world.table.queryAll({ partition: KEYS.feedPage(id, 0).pk });
const idsOf = (events: readonly DomainEvent[]) => events.map(({ id }) => id);
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
/** Fans events out one by one. */
const fanEach = async (events: readonly DomainEvent[]) => {
  for (const event of events) await fan([event]);
};
/** The feed has exactly these events, in this order, and each has its delivery. */
const expectFeed = async (subscription: Subscription, events: readonly DomainEvent[]) => {
  const all = await feed(subscription);
  expect(all.map(({ eventId }) => eventId)).toEqual(idsOf(events));
  expect(all.map(({ sequence }) => sequence)).toEqual(numbers(events.length));
};

describe('the log of a subscription', () => {
  test('is read page by page, and its full pages expire after their events', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const events = await raiseMany(actor, 4 * PAGE_EVENTS + 3);
    await fanEach(events);
    const found = await pages(subscription);
    expect(found.map(({ base }) => base)).toEqual([0, 1, 2, 3, 4].map((at) => at * PAGE_EVENTS));
    const ttl = Math.ceil(hooks.world.now / 1000) + 31 * 24 * 3600;
    expect(found.map((page) => page.ttl)).toEqual([ttl, ttl, ttl, ttl, undefined]);
    await expectFeed(subscription, events);
  });

  test.each([1, 2])(
    'gives no second number to an event that others gave, with pages more, after a writer’s call %i',
    async (after) => {
      const { actor, subscription } = await hooks.subscribe();
      const events = await raiseMany(actor, 3 * PAGE_EVENTS + 4);
      await fanEach(events.slice(0, 4));
      const interleaving = new Interleaving();
      const slow = deliveryStore(interleaving.process(hooks.world.table));
      const own = events.slice(4, 6);
      const repeat = slow.fanOut(subscription, own, hooks.world.now);
      // Before its append others give the same events, and so many more that these are no longer in the last pages.
      let calls = 0;
      await interleaving.run([0], async () => {
        if (++calls === after) await fanEach(events.slice(4));
      });
      expect((await repeat).map(({ eventId }) => eventId)).toEqual(idsOf(own));
      await expectFeed(subscription, events);
    },
  );

  test('recognizes an event that has a number and no delivery also when it is repeated pages later', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const events = await raiseMany(actor, 4 * PAGE_EVENTS);
    const interleaving = new Interleaving();
    // Its fourth call was the append.
    const { fanOut } = deliveryStore(interleaving.process(hooks.world.table, 4));
    void fanOut(subscription, events.slice(0, 1), hooks.world.now);
    await interleaving.run([0]);
    await fanEach(events.slice(1));
    await fan(events.slice(0, 1));
    await expectFeed(subscription, events);
  });

  test('makes no delivery again that has expired', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const events = await raiseMany(actor, 3 * PAGE_EVENTS);
    await fanEach(events.slice(0, PAGE_EVENTS));
    await hooks.ports.events.markPublished(events.slice(0, 1), hooks.world.now);
    const expired = KEYS.delivery(deliveryIdOf(subscription.id, parseId('event', events[0]?.id)));
    await hooks.world.table.write({ delete: expired });
    await fanEach(events.slice(PAGE_EVENTS));
    expect(await pages(subscription)).toHaveLength(3);
    expect(await hooks.world.table.get(expired)).toBeUndefined();
  });
});

test('a fan-out that ends before any one of its calls loses nothing and leaves no gap, also where it begins a page', async () => {
  for (let dies = 0, ended = false; !ended; dies++) {
    const { actor, subscription } = await hooks.subscribe();
    const events = await raiseMany(actor, 3 * PAGE_EVENTS);
    const first = 2 * PAGE_EVENTS - 2;
    await fan(events.slice(0, first));
    const interleaving = new Interleaving();
    const { fanOut } = deliveryStore(interleaving.process(hooks.world.table, dies));
    const own = events.slice(first, first + 4);
    void fanOut(subscription, own, hooks.world.now).then(() => {
      ended = true;
    });
    await interleaving.run([0]);
    // Other events come before the repeat: what was numbered keeps its place.
    const { entries } = await hooks.ports.deliveries.feed(subscription.id, 0, 500);
    const others = events.slice(first + 4);
    await fan(others);
    await fan(own);
    const hadNumbers = entries.length > first;
    const order = hadNumbers ? [...own, ...others] : [...others, ...own];
    await expectFeed(subscription, [...events.slice(0, first), ...order]);
  }
});

test('a fan-out to a backlog that ends before its drain is due makes it due when it is repeated, whatever the endpoint does by then', async () => {
  const { actor, subscription } = await hooks.subscribe();
  const events = await raiseMany(actor, 1);
  const interleaving = new Interleaving();
  let calls = 0;
  const { now } = hooks.world;
  const { fanOut } = deliveryStore(interleaving.process(hooks.world.table, 5));
  void fanOut(subscription, events, now, now + 60_000);
  await interleaving.run([0], async () => void calls++);
  expect(calls).toBe(5);
  const drainAt = async () => (await hooks.ports.subscriptions.read(actor.organizationId, subscription.id))?.drainAt;
  expect(await hooks.ports.backlog.oldest(subscription.id, 10)).toHaveLength(1);
  expect(await drainAt()).toBeUndefined();
  expect(await fan(events)).toHaveLength(1);
  expect(await drainAt()).toBe(hooks.world.now);
});

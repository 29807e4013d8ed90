import { describe, expect, test, vi } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId, parseId } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { fanOut, publishEvents } from '../../shared/domain/webhooks/fan-out.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { overdue } from '../../shared/storage/work/due.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { hung, useWebhooks } from '../support/webhook-world.ts';

const hooks = await useWebhooks();

const PATIENCE = { timeout: 10_000, interval: 20 };
const DONE = { status: 'fulfilled', value: undefined };
const DELIVERED = { status: 'fulfilled', value: 'delivered' };
/** Events of a kind, each a millisecond after the other. */
const eventsOf = async (actor: Actor, count: number): Promise<DomainEvent[]> => {
  const events: DomainEvent[] = [];
  for (let at = 0; at < count; at++) {
    hooks.world.now += 1;
    events.push(await hooks.event(actor));
  }
  return events;
};
const idsOf = (events: readonly DomainEvent[]) => events.map(({ id }) => id);
const feedOf = (webhookId: Id<'webhook'>) => hooks.ports.deliveries.feed(webhookId, 0, 500, hooks.world.now);
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const published = async (events: readonly DomainEvent[]) =>
  (await hooks.ports.events.readAll(idsOf(events))).map((read) =>
    read.status === 'fulfilled' ? read.value?.published : read.status,
  );
const damage = ({ id }: DomainEvent) =>
  hooks.world.table.write({ update: KEYS.event(id), set: { createdAt: 'some day' } });
/** Calls to the table that a piece of work makes, by action. */
const callsOf = async (work: () => Promise<unknown>): Promise<Record<string, number>> => {
  const before = new Map(hooks.world.proxy.calls);
  await work();
  const after = [...hooks.world.proxy.calls].map(([action, count]) => [action, count - (before.get(action) ?? 0)]);
  return Object.fromEntries(after.filter(([, count]) => count));
};

describe('a batch of events', () => {
  test('is given to each subscription in the order in which they happened, by one call of each kind', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const other = await hooks.subscribe({}, actor);
    const events = await eventsOf(actor, 10);
    const calls = await callsOf(() => publishEvents(hooks.ports, idsOf(events).toReversed()));
    expect(calls).toEqual({ BatchGetItem: 1, Query: 1, TransactWriteItems: 1, BatchWriteItem: 1 });
    for (const { id } of [subscription, other.subscription]) {
      const feed = await feedOf(id);
      expect(feed.map(({ sequence }) => sequence)).toEqual(numbers(10));
      expect(feed.map(({ eventId }) => eventId)).toEqual(idsOf(events));
    }
    expect(hooks.workItems).toHaveLength(20);
    expect(await published(events)).toEqual(events.map(() => true));
  });

  test('that holds repeats, strangers and rows that do not parse does what is new, and fails what cannot be read', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const [done, half, fresh, last, bad] = (await eventsOf(actor, 5)) as [
      DomainEvent,
      DomainEvent,
      DomainEvent,
      DomainEvent,
      DomainEvent,
    ];
    await publishEvents(hooks.ports, [done.id]);
    await fanOut(hooks.ports, [half]);
    await damage(bad);
    const ids = [last.id, bad.id, done.id, newId('event'), half.id, fresh.id, last.id, half.id];
    const outcomes = await publishEvents(hooks.ports, ids);
    expect(outcomes.map(({ status }) => status)).toEqual(ids.map((id) => (id === bad.id ? 'rejected' : 'fulfilled')));
    const feed = await feedOf(subscription.id);
    expect(feed.map(({ sequence }) => sequence)).toEqual(numbers(4));
    expect(feed.map(({ eventId }) => eventId)).toEqual(idsOf([done, half, fresh, last]));
    expect(await published([done, half, fresh, last, bad])).toEqual([true, true, true, true, 'rejected']);
  });

  test('of two organizations does the work of one while the other’s subscriptions cannot be read', async () => {
    const [one, two] = [await hooks.subscribe(), await hooks.subscribe()];
    const events = [...(await eventsOf(one.actor, 2)), ...(await eventsOf(two.actor, 2))];
    const bad = KEYS.webhook(one.actor.organizationId, one.subscription.id);
    await hooks.world.table.write({ update: bad, set: { retry: 'never' } });
    const outcomes = await publishEvents(hooks.ports, idsOf(events));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await published(events)).toEqual([false, false, true, true]);
    expect(await feedOf(two.subscription.id)).toHaveLength(2);
  });

  test('races with others over the same events without a gap and without a second delivery', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const ids = idsOf(await eventsOf(actor, 40));
    // Another copy of the module, as another process has it: its turns and its memory are its own.
    vi.resetModules();
    const { deliveryStore } = await import('../../shared/storage/webhooks/deliveries.ts');
    const second = { ...hooks.ports, deliveries: deliveryStore(hooks.world.table) };
    const batches = [0, 5, 10, 15, 20, 25, 30].map((start) => ids.slice(start, start + 10));
    const outcomes = await Promise.all(
      batches.flatMap((batch) => [hooks.ports, second].map((ports) => publishEvents(ports, batch))),
    );
    expect(outcomes.flat()).toEqual(outcomes.flat().map(() => DONE));
    const feed = await feedOf(subscription.id);
    expect(feed.map(({ sequence }) => sequence)).toEqual(numbers(40));
    expect(new Set(feed.map(({ eventId }) => eventId)).size).toBe(40);
  });

  test('of more than a transaction holds is given out in as many as it takes', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const events = await eventsOf(actor, 205);
    expect(await callsOf(() => fanOut(hooks.ports, events))).toEqual({ Query: 1, TransactWriteItems: 3 });
    expect((await feedOf(subscription.id)).map(({ eventId }) => eventId)).toEqual(idsOf(events));
  });

  test('whose mark is lost comes again, and changes nothing', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const events = await eventsOf(actor, 3);
    hooks.world.proxy.plan(({ action }) => (action === 'BatchWriteItem' ? FAULTS.throttle : undefined));
    const outcomes = await publishEvents(hooks.ports, idsOf(events));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(hooks.workItems.splice(0)).toHaveLength(3);
    const due = await overdue(hooks.world.table, 'publish_event', hooks.world.now, 1_000);
    expect(due.map(({ pk }) => pk)).toEqual(expect.arrayContaining(events.map(({ id }) => `EVT#${id}`)));
    const before = await feedOf(subscription.id);
    hooks.world.proxy.plan(undefined);
    expect(await publishEvents(hooks.ports, idsOf(events))).toEqual([DONE, DONE, DONE]);
    expect(await feedOf(subscription.id)).toEqual(before);
    expect(await published(events)).toEqual([true, true, true]);
  });

  test('that comes again hands over what nobody has tried yet, and nothing else', async () => {
    const { actor } = await hooks.subscribe();
    const events = await eventsOf(actor, 3);
    await fanOut(hooks.ports, events);
    const ids = hooks.workItems.splice(0).map(({ id }) => id);
    await deliverAll(hooks.ports, ids.slice(0, 1));
    await hooks.world.table.write({
      update: KEYS.delivery(parseId('delivery', ids[1])),
      set: { status: 'nothing of ours' },
    });
    const outcomes = await fanOut(hooks.ports, events);
    expect(outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value)).toEqual([0, 0, 1]);
    expect(hooks.workItems.map(({ id }) => id)).toEqual(ids.slice(2));
  });

  test.each(['TransactWriteItems', 'BatchWriteItem'])('whose answer to %s is lost has one effect', async (lost) => {
    const { actor, subscription } = await hooks.subscribe();
    const events = await eventsOf(actor, 4);
    let broken = 0;
    hooks.world.proxy.plan(({ action }) => (action === lost && broken++ === 0 ? FAULTS.loseAnswer : undefined));
    expect(await publishEvents(hooks.ports, idsOf(events))).toEqual(events.map(() => DONE));
    expect(broken).toBeGreaterThan(1);
    expect(hooks.workItems).toHaveLength(4);
    expect((await feedOf(subscription.id)).map(({ sequence }) => sequence)).toEqual(numbers(4));
    expect(await published(events)).toEqual(events.map(() => true));
  });
});

describe('a batch of deliveries', () => {
  const fan = async (actor: Actor, count: number) => {
    await fanOut(hooks.ports, await eventsOf(actor, count));
    return hooks.workItems.splice(0).map(({ id }) => id);
  };

  test('is read in two calls, claimed in one and recorded in one, and tries each delivery once', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await hooks.ports.subscriptions.noteHealth(actor.organizationId, subscription.id, {
      lastSuccessAt: hooks.world.now + 20,
    });
    const ids = await fan(actor, 10);
    const calls = await callsOf(() => deliverAll(hooks.ports, [...ids, ...ids]));
    expect(calls).toEqual({ BatchGetItem: 2, TransactWriteItems: 2 });
    expect(hooks.posted).toHaveLength(10);
    expect((await feedOf(subscription.id)).map(({ status }) => status)).toEqual(ids.map(() => 'delivered'));
  });

  test('fails what cannot be read, and delivers the rest', async () => {
    const { actor } = await hooks.subscribe();
    const events = await eventsOf(actor, 3);
    await fanOut(hooks.ports, events);
    const ids = hooks.workItems.splice(0).map(({ id }) => id);
    await damage(events[1] as DomainEvent);
    const other = await hooks.subscribe();
    ids.push(...(await fan(other.actor, 1)), newId('delivery'));
    const key = KEYS.webhook(other.actor.organizationId, other.subscription.id);
    await hooks.world.table.write({ update: key, set: { retry: 'never' } });
    const outcomes = await deliverAll(hooks.ports, ids);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(hooks.posted).toHaveLength(2);
  });

  test('whose claims’ answers are lost tries each delivery once', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const ids = await fan(actor, 3);
    let broken = 0;
    hooks.world.proxy.plan(({ action }) =>
      action === 'TransactWriteItems' && broken++ === 0 ? FAULTS.loseAnswer : undefined,
    );
    expect(await deliverAll(hooks.ports, ids)).toEqual(ids.map(() => DELIVERED));
    expect(broken).toBeGreaterThan(1);
    expect(hooks.posted).toHaveLength(3);
    expect((await feedOf(subscription.id)).map(({ status }) => status)).toEqual(ids.map(() => 'delivered'));
  });

  test('that fails counts each of its events against the endpoint', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => hung());
    await deliverAll(hooks.ports, await fan(actor, 4));
    expect(await hooks.ports.subscriptions.read(actor.organizationId, subscription.id)).toMatchObject({
      consecutiveFailures: 4,
      status: 'active',
    });
  });

  test('to endpoints that fail holds four places in all, and what finds none waits in their backlogs', async () => {
    const ids: Id<'delivery'>[] = [];
    const held: (() => void)[] = [];
    for (let at = 0; at < 8; at++) {
      const { actor, subscription } = await hooks.subscribe();
      await hooks.ports.subscriptions.noteHealth(actor.organizationId, subscription.id, { failures: 'another' });
      hooks.answers.set(subscription.url, () => new Promise((resolve) => held.push(() => resolve(hung()))));
      ids.push(...(await fan(actor, 1)));
    }
    hooks.world.now += 20_000;
    const healthy = await hooks.subscribe();
    const good = parseId('delivery', (await fan(healthy.actor, 1))[0]);
    const work = deliverAll(hooks.ports, ids);
    await expect.poll(() => hooks.looks.length + held.length, PATIENCE).toBe(8);
    expect(held).toHaveLength(4);
    expect(await deliverAll(hooks.ports, [good])).toEqual([DELIVERED]);
    expect(hooks.posted.filter(({ url }) => url === healthy.subscription.url)).toHaveLength(1);
    for (const release of held) release();
    const outcomes = (await work).map((outcome) => outcome.status === 'fulfilled' && outcome.value);
    expect(outcomes.toSorted()).toEqual([...Array(4).fill('failed'), ...Array(4).fill('waits')]);
    for (const { id, delay } of hooks.looks) {
      expect(delay).toBe(2);
      expect(await hooks.ports.backlog.oldest(id, 10)).toHaveLength(1);
    }
  });

  test('fails one whose row does not parse, however often it comes, and neither claims nor tries it', async () => {
    const { actor } = await hooks.subscribe();
    const [bad, good] = (await fan(actor, 2)) as [Id<'delivery'>, Id<'delivery'>];
    await hooks.world.table.write({ update: KEYS.delivery(bad), set: { status: 'nothing of ours' } });
    const before = await hooks.world.table.get(KEYS.delivery(bad));
    for (let turn = 0; turn < 3; turn++)
      expect((await deliverAll(hooks.ports, [bad, good])).map(({ status }) => status)).toEqual([
        'rejected',
        'fulfilled',
      ]);
    expect(await hooks.world.table.get(KEYS.delivery(bad))).toEqual(before);
    expect(hooks.posted).toHaveLength(1);
  });

  test('that another took between the reading and the claim is left to it', async () => {
    const { actor } = await hooks.subscribe();
    const id = parseId('delivery', (await fan(actor, 1))[0]);
    const { now } = hooks.world;
    const [read] = await hooks.ports.deliveries.readDue([id], now);
    const delivery = read?.status === 'fulfilled' ? read.value : undefined;
    if (!delivery) throw new Error('the delivery is not due');
    const claims = await Promise.all([1, 2].map(() => hooks.ports.deliveries.claim(delivery, now, now + 1_000)));
    expect(claims.toSorted()).toEqual([false, true]);
    await hooks.ports.backlog.park(delivery, now, now + 60_000);
    expect(await deliverAll(hooks.ports, [id])).toEqual([DONE]);
    expect(hooks.posted).toEqual([]);
    hooks.world.now += 1_000;
    await deliverAll(hooks.ports, [id]);
    expect(hooks.posted).toHaveLength(1);
  });
});

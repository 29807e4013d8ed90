import { describe, expect, test } from 'vitest';
import { type Id, newId, parseId } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { fanOut, publishEvents } from '../../shared/domain/webhooks/fan-out.ts';
import { CLAIM_MS } from '../../shared/domain/webhooks/schedule.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { importFresh } from '../support/import-fresh.ts';
import { overdue } from '../support/index-entries.ts';
import { hung, useWebhooks } from '../support/webhook-world.ts';
import { deliveriesOf, PATIENCE } from './kit.ts';

const hooks = await useWebhooks();
const { raise, raiseMany, fan, queue, queueMany, deliver, current, feed } = deliveriesOf(hooks);

const DONE = { status: 'fulfilled', value: undefined };
const DELIVERED = { status: 'fulfilled', value: 'delivered' };
const idsOf = (events: readonly DomainEvent[]) => events.map(({ id }) => id);
const sequences = async (subscription: Subscription) => (await feed(subscription)).map(({ sequence }) => sequence);
const eventIds = async (subscription: Subscription) => (await feed(subscription)).map(({ eventId }) => eventId);
const statuses = async (subscription: Subscription) => (await feed(subscription)).map(({ status }) => status);
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const published = async (events: readonly DomainEvent[]) =>
  (await hooks.ports.events.readAll(idsOf(events))).map((read) =>
    read.status === 'fulfilled' ? read.value?.published : read.status,
  );
/** Makes the row of an event, a delivery or a subscription one that does not parse. */
const damageEvent = ({ id }: DomainEvent) =>
  hooks.world.table.write({ update: KEYS.event(id), set: { createdAt: 'some day' } });
const damageDelivery = (id: Id<'delivery'>) =>
  hooks.world.table.write({ update: KEYS.delivery(id), set: { status: 'nothing of ours' } });
const damageSubscription = ({ organizationId, id }: Subscription) =>
  hooks.world.table.write({ update: KEYS.webhook(organizationId, id), set: { retry: 'never' } });
/** Loses the answer to the `nth` call of an action, from 0; the calls of that action so far. */
const loseNth = (action: string, nth: number) => {
  const seen = { calls: 0 };
  hooks.world.proxy.plan((call) => (call.action === action && seen.calls++ === nth ? FAULTS.loseAnswer : undefined));
  return seen;
};
/** Calls to the table that a piece of work makes, by action. */
const callsOf = async (work: () => Promise<unknown>): Promise<Record<string, number>> => {
  const before = new Map(hooks.world.proxy.calls);
  await work();
  const after = [...hooks.world.proxy.calls].map(([action, count]) => [action, count - (before.get(action) ?? 0)]);
  return Object.fromEntries(after.filter(([, count]) => count));
};

/** A delivery as a worker reads it that is about to claim it at `now` (ms). */
const readDue = async (id: Id<'delivery'>, now: number) => {
  const [read] = await hooks.ports.deliveries.readDue([id], now);
  const delivery = read?.status === 'fulfilled' ? read.value?.delivery : undefined;
  return delivery ?? expect.fail('the delivery is not due');
};

describe('a batch of events', () => {
  test('is fanned out to each subscription in their order: one write of its log, and one a delivery', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const other = await hooks.subscribe({}, actor);
    const events = await raiseMany(actor, 10);
    const calls = await callsOf(() => publishEvents(hooks.ports, idsOf(events).toReversed()));
    // Two for each log, whose first page they begin.
    expect(calls).toMatchObject({ Query: 3, UpdateItem: 4, PutItem: 20, BatchWriteItem: 1 });
    for (const each of [subscription, other.subscription]) {
      expect(await sequences(each)).toEqual(numbers(10));
      expect(await eventIds(each)).toEqual(idsOf(events));
    }
    expect(hooks.workItems).toHaveLength(20);
    expect(await published(events)).toEqual(events.map(() => true));
  });

  test('with repeats, unknown ids and rows that do not parse publishes what is new, and fails what cannot be read', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const [done, half, fresh, last] = [await raise(actor), await raise(actor), await raise(actor), await raise(actor)];
    const bad = await raise(actor);
    await publishEvents(hooks.ports, [done.id]);
    await fanOut(hooks.ports, [half]);
    await damageEvent(bad);
    const ids = [last.id, bad.id, done.id, newId('event'), half.id, fresh.id, last.id, half.id];
    const outcomes = await publishEvents(hooks.ports, ids);
    expect(outcomes.map(({ status }) => status)).toEqual(ids.map((id) => (id === bad.id ? 'rejected' : 'fulfilled')));
    expect(await sequences(subscription)).toEqual(numbers(4));
    expect(await eventIds(subscription)).toEqual(idsOf([done, half, fresh, last]));
    expect(await published([done, half, fresh, last, bad])).toEqual([true, true, true, true, 'rejected']);
  });

  test('of two organizations publishes those of one when the subscriptions of the other cannot be read', async () => {
    const [one, two] = [await hooks.subscribe(), await hooks.subscribe()];
    const events = [...(await raiseMany(one.actor, 2)), ...(await raiseMany(two.actor, 2))];
    await damageSubscription(one.subscription);
    const outcomes = await publishEvents(hooks.ports, idsOf(events));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await published(events)).toEqual([false, false, true, true]);
    expect(await feed(two.subscription)).toHaveLength(2);
  });

  test('that races with others over the same events makes neither a gap nor a second delivery', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const ids = idsOf(await raiseMany(actor, 40));
    // Another copy of the module, as another process has it: with a queue and a memory of its own.
    const path = import.meta.resolve('../../shared/storage/webhooks/deliveries.ts');
    const { deliveryStore } = await importFresh<typeof import('../../shared/storage/webhooks/deliveries.ts')>(path);
    const second = { ...hooks.ports, deliveries: deliveryStore(hooks.world.table) };
    const batches = [0, 5, 10, 15, 20, 25, 30].map((start) => ids.slice(start, start + 10));
    const outcomes = await Promise.all(
      batches.flatMap((batch) => [hooks.ports, second].map((ports) => publishEvents(ports, batch))),
    );
    expect(outcomes.flat()).toEqual(outcomes.flat().map(() => DONE));
    expect(await sequences(subscription)).toEqual(numbers(40));
    expect(new Set(await eventIds(subscription)).size).toBe(40);
  });

  test('larger than an append is given its numbers in several', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const events = await raiseMany(actor, 205);
    const calls = await callsOf(() => fanOut(hooks.ports, events));
    // Five pages, each found missing and then created; and the expiry of four.
    expect(calls).toMatchObject({ Query: 6, UpdateItem: 14, PutItem: 205 });
    expect(await eventIds(subscription)).toEqual(idsOf(events));
  });

  test('that could not be marked as published is repeated, and the repeat changes nothing', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const events = await raiseMany(actor, 3);
    hooks.world.proxy.plan(({ action }) => (action === 'BatchWriteItem' ? FAULTS.throttle : undefined));
    const outcomes = await publishEvents(hooks.ports, idsOf(events));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(hooks.workItems.splice(0)).toHaveLength(3);
    const due = await overdue(hooks.world.table, 'publish_event', hooks.world.now, 1_000);
    expect(due.map(({ pk }) => pk)).toEqual(expect.arrayContaining(events.map(({ id }) => `EVT#${id}`)));
    const before = await feed(subscription);
    hooks.world.proxy.plan(undefined);
    expect(await publishEvents(hooks.ports, idsOf(events))).toEqual([DONE, DONE, DONE]);
    expect(await feed(subscription)).toEqual(before);
    expect(await published(events)).toEqual([true, true, true]);
  });

  test('that is repeated queues what was not attempted yet, and nothing else', async () => {
    const { actor } = await hooks.subscribe();
    const events = await raiseMany(actor, 3);
    const ids = await fan(events);
    await deliver(...ids.slice(0, 1));
    await damageDelivery(parseId('delivery', ids[1]));
    const outcomes = await fanOut(hooks.ports, events);
    expect(outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value)).toEqual([0, 0, 1]);
    expect(hooks.workItems.map(({ id }) => id)).toEqual(ids.slice(2));
  });

  test.each(['UpdateItem', 'PutItem', 'BatchWriteItem'])('whose answer to %s is lost has one effect', async (lost) => {
    const { actor, subscription } = await hooks.subscribe();
    const events = await raiseMany(actor, 4);
    const seen = loseNth(lost, 0);
    expect(await publishEvents(hooks.ports, idsOf(events))).toEqual(events.map(() => DONE));
    expect(seen.calls).toBeGreaterThan(1);
    expect(hooks.workItems).toHaveLength(4);
    expect(await sequences(subscription)).toEqual(numbers(4));
    expect(await published(events)).toEqual(events.map(() => true));
  });
});

describe('a batch of deliveries', () => {
  test('is read in two calls, writes each row by itself, and attempts each delivery once', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await hooks.ports.subscriptions.noteHealth(actor.organizationId, subscription.id, {
      lastSuccessAt: hooks.world.now + 20,
    });
    const ids = await queueMany(actor, 10);
    const calls = await callsOf(() => deliverAll(hooks.ports, [...ids, ...ids]));
    expect(calls).toEqual({ BatchGetItem: 2, UpdateItem: 20, BatchWriteItem: expect.any(Number) });
    expect(hooks.posted).toHaveLength(10);
    expect(await statuses(subscription)).toEqual(ids.map(() => 'delivered'));
  });

  test('fails what cannot be read, and delivers the rest', async () => {
    const { actor } = await hooks.subscribe();
    const [first, bad, last] = [await raise(actor), await raise(actor), await raise(actor)];
    const ids = await fan([first, bad, last]);
    await damageEvent(bad);
    const other = await hooks.subscribe();
    ids.push(await queue(other.actor), newId('delivery'));
    await damageSubscription(other.subscription);
    const outcomes = (await deliverAll(hooks.ports, ids)).map(({ status }) => status);
    expect(outcomes).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(hooks.posted).toHaveLength(2);
  });

  test.each([
    ['a claim', 'UpdateItem', 0],
    ['an attempt’s row', 'BatchWriteItem', 0],
    ['a record', 'UpdateItem', 3],
  ] as const)('that loses the answer to %s attempts each delivery once', async (_, action, nth) => {
    const { actor, subscription } = await hooks.subscribe();
    const ids = await queueMany(actor, 3);
    const seen = loseNth(action, nth);
    expect(await deliverAll(hooks.ports, ids)).toEqual(ids.map(() => DELIVERED));
    expect(seen.calls).toBeGreaterThan(nth + 1);
    expect(hooks.posted).toHaveLength(3);
    expect(await statuses(subscription)).toEqual(ids.map(() => 'delivered'));
  });

  test('that fails counts each of its events against the endpoint', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => hung());
    await deliver(...(await queueMany(actor, 4)));
    expect(await current(subscription)).toMatchObject({ consecutiveFailures: 4, status: 'active' });
  });

  test('to failing endpoints takes four slots in all; deliveries without a slot wait in their backlogs', async () => {
    const ids: Id<'delivery'>[] = [];
    const held: (() => void)[] = [];
    for (let at = 0; at < 8; at++) {
      const { actor, subscription } = await hooks.subscribe();
      await hooks.ports.subscriptions.noteHealth(actor.organizationId, subscription.id, { failures: 'another' });
      hooks.answers.set(subscription.url, () => new Promise((resolve) => held.push(() => resolve(hung()))));
      ids.push(await queue(actor));
    }
    hooks.world.now += 20_000;
    const healthy = await hooks.subscribe();
    const good = await queue(healthy.actor);
    const work = deliverAll(hooks.ports, ids);
    await expect.poll(() => hooks.drains.length + held.length, PATIENCE).toBe(8);
    expect(held).toHaveLength(4);
    expect(await deliverAll(hooks.ports, [good])).toEqual([DELIVERED]);
    expect(hooks.posted.filter(({ url }) => url === healthy.subscription.url)).toHaveLength(1);
    for (const release of held) release();
    const outcomes = (await work).map((outcome) => outcome.status === 'fulfilled' && outcome.value);
    expect(outcomes.toSorted()).toEqual([...Array(4).fill('failed'), ...Array(4).fill('waits')]);
    for (const { id, delay } of hooks.drains) {
      expect(delay).toBe(2);
      expect(await hooks.ports.backlog.oldest(id, 10)).toHaveLength(1);
    }
  });

  test('fails one whose row does not parse, however often it is repeated, and neither claims nor attempts it', async () => {
    const { actor } = await hooks.subscribe();
    const [bad, good] = [await queue(actor), await queue(actor)];
    await damageDelivery(bad);
    const before = await hooks.world.table.get(KEYS.delivery(bad));
    for (let turn = 0; turn < 3; turn++) {
      const outcomes = await deliverAll(hooks.ports, [bad, good]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    }
    expect(await hooks.world.table.get(KEYS.delivery(bad))).toEqual(before);
    expect(hooks.posted).toHaveLength(1);
  });

  test('leaves a delivery to the worker that claimed it between the reading and the claim', async () => {
    const { actor } = await hooks.subscribe();
    const id = await queue(actor);
    const { now } = hooks.world;
    const delivery = await readDue(id, now);
    const claims = await Promise.all([1, 2].map(() => hooks.ports.deliveries.claim(delivery, now, now + 1_000)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    await hooks.ports.backlog.add(delivery, now, now + 60_000);
    expect(await deliverAll(hooks.ports, [id])).toEqual([DONE]);
    expect(hooks.posted).toEqual([]);
    hooks.world.now += 1_000;
    await deliver(id);
    expect(hooks.posted).toHaveLength(1);
  });

  test('checks a delivery again at the end of a claim whose worker may have crashed, and not while the claim is fresh', async () => {
    const { actor } = await hooks.subscribe();
    const id = await queue(actor);
    const { now } = hooks.world;
    const delivery = await readDue(id, now);
    await hooks.ports.deliveries.claim(delivery, now, now + CLAIM_MS);
    expect(await deliverAll(hooks.ports, [id])).toEqual([DONE]);
    expect(hooks.workItems).toEqual([]);
    hooks.world.now += 6_000;
    expect(await deliverAll(hooks.ports, [id])).toEqual([DONE]);
    expect(hooks.workItems.splice(0)).toEqual([{ id, delay: (CLAIM_MS - 6_000) / 1_000 }]);
    hooks.world.now += CLAIM_MS - 6_000;
    await deliver(id);
    expect(hooks.posted).toHaveLength(1);
  });
});

import { describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { newId, parseId } from '../../shared/domain/core/ids.ts';
import { pullEvents, replayOne, replayRange } from '../../shared/domain/webhooks/history.ts';
import { changeSubscription, revokeSubscription } from '../../shared/domain/webhooks/manage.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { DELIVERY_SHARDS } from '../../shared/storage/table-indexes.ts';
import { accepted } from '../support/accepted.ts';
import { ok, useWebhooks } from '../support/webhook-world.ts';
import { deliveriesOf } from './kit.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Subscriptions of an organization that are not revoked. */
const MAX_SUBSCRIPTIONS = 1_000;

const hooks = await useWebhooks();
const { raiseMany, fan, queue, queueMany, deliver, calls } = deliveriesOf(hooks);

/** The `ttl` of a row that expires 30 days after this moment. */
const in30Days = () => Math.ceil(hooks.world.now / 1000) + 30 * 24 * 3600;
const row = ({ organizationId, id }: Subscription) => hooks.world.table.get(KEYS.webhook(organizationId, id));
/** Rows of further subscriptions of the same organization. */
const copiesOf = async (subscription: Subscription, count: number, status = 'active') => {
  const original = await row(subscription);
  return Array.from({ length: count }, () => {
    const id = newId('webhook');
    return { ...original, ...KEYS.webhook(subscription.organizationId, id), id, status };
  });
};
/** An active subscription whose endpoint answered 500 to six events. */
const failing = async () => {
  const made = await hooks.subscribe();
  hooks.answers.set(made.subscription.url, () => ok(500));
  for (const id of await queueMany(made.actor, 6)) await deliver(id);
  return made;
};
const sequences = async (actor: Actor, { id }: Subscription, after = 0) => {
  const { items } = accepted(await pullEvents(hooks.ports, actor, id, after, 50));
  return items.map(({ sequence }) => sequence);
};

describe('subscriptions of one organization', () => {
  test('get their events also when their rows fill more than one page of a query', async () => {
    const headers = Array.from({ length: 20 }, (_, at) => ({ key: `x-${at}`, value: 'v'.repeat(1_024) }));
    const { actor, subscription } = await hooks.subscribe({ headers });
    await hooks.world.table.putMany(await copiesOf(subscription, 59));
    expect(await queueMany(actor, 1)).toHaveLength(60);
    expect(await hooks.ports.subscriptions.list(actor.organizationId)).toHaveLength(60);
  });

  test('count towards their limit only while they are not revoked', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await hooks.world.table.putMany(await copiesOf(subscription, MAX_SUBSCRIPTIONS, 'revoked'));
    const second = await hooks.subscribe({}, actor);
    await hooks.world.table.putMany(await copiesOf(subscription, MAX_SUBSCRIPTIONS - 2));
    await expect(hooks.subscribe({}, actor)).rejects.toThrow('maximum of subscriptions');
    await revokeSubscription(hooks.ports, actor, second.subscription.id);
    await hooks.subscribe({}, actor);
  });

  test('expire 30 days after they were revoked, by their owner or by a 410, and never before', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const gone = await hooks.subscribe({}, actor);
    expect(await row(subscription)).not.toHaveProperty('ttl');
    hooks.answers.set(gone.subscription.url, () => ok(410));
    await deliver(...(await queueMany(actor, 1)));
    const ttl = in30Days();
    expect(await row(gone.subscription)).toMatchObject({ status: 'revoked', ttl });
    await revokeSubscription(hooks.ports, actor, subscription.id);
    hooks.world.now += DAY_MS;
    await revokeSubscription(hooks.ports, actor, subscription.id);
    expect(await row(subscription)).toMatchObject({ status: 'revoked', ttl });
  });
});

describe('a subscription whose URL is changed', () => {
  test('to one that answers is active again, and its waiting deliveries are queued', async () => {
    const { actor, subscription } = await failing();
    expect(await row(subscription)).toMatchObject({ status: 'failing' });
    hooks.workItems.length = 0;
    const url = 'https://moved.example/hook';
    const changed = await changeSubscription(hooks.ports, actor, subscription.id, { url });
    expect(changed).toMatchObject({ url, status: 'active', consecutiveFailures: 0 });
    expect(hooks.workItems).toHaveLength(6);
    hooks.posted.length = 0;
    await deliver(...hooks.workItems.map(({ id }) => id));
    expect(hooks.posted.map((post) => post.url)).toEqual(Array(6).fill(url));
  });

  test('to one that does not answer 2xx is not changed', async () => {
    const { actor, subscription } = await failing();
    const before = await row(subscription);
    hooks.answers.set('https://gone.example/hook', () => ok(404));
    await changeSubscription(hooks.ports, actor, subscription.id, { url: 'https://gone.example/hook' });
    expect(await row(subscription)).toEqual(before);
  });
});

describe('the history of deliveries', () => {
  test('expires 30 days after the last attempt, however late that was', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const id = await queue(actor);
    const ttl = async () => (await hooks.world.table.get(KEYS.delivery(id)))?.ttl;
    expect(await ttl()).toBe(in30Days());
    hooks.world.now += DAY_MS;
    await deliver(id);
    expect(await ttl()).toBe(in30Days());
    hooks.world.now += 20 * DAY_MS;
    await replayOne(hooks.ports, actor, subscription.id, id);
    await deliver(id);
    expect(await ttl()).toBe(in30Days());
  });

  test('is pulled from its oldest event on when earlier ones have expired', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const events = await raiseMany(actor, 6);
    await fan(events);
    // In the order in which the table deletes them.
    for (const at of [0, 1, 3]) await hooks.world.table.write({ delete: KEYS.event(parseId('event', events[at]?.id)) });
    expect(await sequences(actor, subscription)).toEqual([3, 5, 6]);
    expect(await sequences(actor, subscription, 3)).toEqual([5, 6]);
    const page = await pullEvents(hooks.ports, actor, subscription.id, 0, 2);
    expect(accepted(page).items.map(({ sequence }) => sequence)).toEqual([3, 5]);
  });

  test('is pulled page by page, each with the last number that was given out', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await queueMany(actor, 70);
    for (let after = 0; after < 70; after += 7) {
      const { items, lastSequence } = accepted(await pullEvents(hooks.ports, actor, subscription.id, after, 7));
      expect(items.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7].map((at) => after + at));
      expect(lastSequence).toBe(70);
    }
    expect(await pullEvents(hooks.ports, actor, subscription.id, 70, 7)).toEqual({ items: [], lastSequence: 70 });
  });

  test('of a revoked subscription expires with it', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await queueMany(actor, 1);
    const ttl = async () => (await hooks.world.table.get(KEYS.feedPage(subscription.id, 0)))?.ttl;
    expect(await ttl()).toBeUndefined();
    await revokeSubscription(hooks.ports, actor, subscription.id);
    expect(await ttl()).toBe(in30Days());
    expect(await sequences(actor, subscription)).toEqual([1]);
  });
});

describe('many deliveries', () => {
  test('that failed are queued on resume in the order of their events, by one query a shard', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => ok(500));
    const ids = await queueMany(actor, 3);
    await deliver(...ids);
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'paused' });
    hooks.workItems.length = 0;
    const queries = calls('Query');
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'active' });
    expect(hooks.workItems.map(({ id }) => id)).toEqual(ids);
    expect(calls('Query') - queries).toBe(DELIVERY_SHARDS);
  });

  test('of a range are replayed in that order too', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const from = hooks.world.now;
    const ids = [...(await queueMany(actor, 20)), ...(await queueMany(actor, 20))];
    await deliver(...ids);
    hooks.workItems.length = 0;
    const range = { from, to: hooks.world.now, status: 'delivered' as const };
    expect(await replayRange(hooks.ports, actor, subscription.id, range)).toEqual({ replayed: 40 });
    expect(hooks.workItems.map(({ id }) => id)).toEqual(ids);
  });
});

import { describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId, parseId } from '../../shared/domain/core/ids.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { fanOut } from '../../shared/domain/webhooks/fan-out.ts';
import { pullEvents, replayOne, replayRange } from '../../shared/domain/webhooks/history.ts';
import { changeSubscription, revokeSubscription } from '../../shared/domain/webhooks/manage.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { ok, useWebhooks } from '../support/webhook-world.ts';

const DAY_MS = 24 * 3600 * 1000;
const DAYS_30 = 30 * 24 * 3600;
/** Subscriptions of an organization that are not revoked. */
const MOST = 1_000;

const hooks = await useWebhooks();

/** Events a millisecond apart, given to the organization's subscriptions. */
const raise = async (actor: Actor, count: number): Promise<Id<'delivery'>[]> => {
  const events = [];
  for (let at = 0; at < count; at++) {
    hooks.world.now += 1;
    events.push(await hooks.event(actor));
  }
  hooks.workItems.length = 0;
  await fanOut(hooks.ports, events);
  return hooks.workItems.splice(0).map(({ id }) => id);
};
const secondsOf = (ms: number) => Math.ceil(ms / 1000);
const row = ({ organizationId, id }: Subscription) => hooks.world.table.get(KEYS.webhook(organizationId, id));
/** Rows of other subscriptions of its organization that are as it is. */
const copiesOf = async (subscription: Subscription, count: number, status = 'active') => {
  const standing = await row(subscription);
  return Array.from({ length: count }, () => {
    const id = newId('webhook');
    return { ...standing, ...KEYS.webhook(subscription.organizationId, id), id, status };
  });
};
const sequences = async (actor: Actor, { id }: Subscription, after = 0) => {
  const page = await pullEvents(hooks.ports, actor, id, after, 50);
  if ('details' in page) throw new Error(page.details.detail);
  return page.items.map(({ sequence }) => sequence);
};
const calls = (action: string) => hooks.world.proxy.calls.get(action) ?? 0;

describe('subscriptions of one organization', () => {
  test('take their events also where their rows are more than one page of the table', async () => {
    const headers = Array.from({ length: 20 }, (_, at) => ({ key: `x-${at}`, value: 'v'.repeat(1_024) }));
    const { actor, subscription } = await hooks.subscribe({ headers });
    await hooks.world.table.putMany(await copiesOf(subscription, 59));
    expect(await raise(actor, 1)).toHaveLength(60);
    expect(await hooks.ports.subscriptions.list(actor.organizationId)).toHaveLength(60);
  });

  test('that are revoked take no place of others: only as many as may stand are refused', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await hooks.world.table.putMany(await copiesOf(subscription, MOST, 'revoked'));
    const second = await hooks.subscribe({}, actor);
    await hooks.world.table.putMany(await copiesOf(subscription, MOST - 2));
    await expect(hooks.subscribe({}, actor)).rejects.toThrow('as many subscriptions');
    await revokeSubscription(hooks.ports, actor, second.subscription.id);
    await hooks.subscribe({}, actor);
  });

  test('are kept for 30 days after they were revoked, by their owner or by a 410, and for ever before', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const gone = await hooks.subscribe({}, actor);
    expect(await row(subscription)).not.toHaveProperty('ttl');
    hooks.answers.set(gone.subscription.url, () => ok(410));
    await deliverAll(hooks.ports, await raise(actor, 1));
    const ttl = secondsOf(hooks.world.now) + DAYS_30;
    expect(await row(gone.subscription)).toMatchObject({ status: 'revoked', ttl });
    await revokeSubscription(hooks.ports, actor, subscription.id);
    hooks.world.now += DAY_MS;
    await revokeSubscription(hooks.ports, actor, subscription.id);
    expect(await row(subscription)).toMatchObject({ status: 'revoked', ttl });
  });
});

describe('a subscription whose address is changed', () => {
  test('to one that answers is active again, and what waits for the old one is looked at', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => ok(500));
    for (const id of await raise(actor, 6)) await deliverAll(hooks.ports, [id]);
    expect(await row(subscription)).toMatchObject({ status: 'failing' });
    hooks.workItems.length = 0;
    const url = 'https://moved.example/hook';
    const changed = await changeSubscription(hooks.ports, actor, subscription.id, { url });
    expect(changed).toMatchObject({ url, status: 'active', consecutiveFailures: 0 });
    expect(hooks.workItems).toHaveLength(6);
    hooks.posted.length = 0;
    await deliverAll(
      hooks.ports,
      hooks.workItems.map(({ id }) => id),
    );
    expect(hooks.posted.map((post) => post.url)).toEqual(Array(6).fill(url));
  });

  test('to one that does not is as it was', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => ok(500));
    for (const id of await raise(actor, 6)) await deliverAll(hooks.ports, [id]);
    const before = await row(subscription);
    hooks.answers.set('https://gone.example/hook', () => ok(404));
    await changeSubscription(hooks.ports, actor, subscription.id, { url: 'https://gone.example/hook' });
    expect(await row(subscription)).toEqual(before);
  });
});

describe('what is kept of deliveries', () => {
  test('stays for 30 days after the last attempt, however late that was', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const id = parseId('delivery', (await raise(actor, 1))[0]);
    const ttl = async () => (await hooks.world.table.get(KEYS.delivery(id)))?.ttl;
    expect(await ttl()).toBe(secondsOf(hooks.world.now) + DAYS_30);
    hooks.world.now += DAY_MS;
    await deliverAll(hooks.ports, [id]);
    expect(await ttl()).toBe(secondsOf(hooks.world.now) + DAYS_30);
    hooks.world.now += 20 * DAY_MS;
    await replayOne(hooks.ports, actor, subscription.id, id);
    await deliverAll(hooks.ports, [id]);
    expect(await ttl()).toBe(secondsOf(hooks.world.now) + DAYS_30);
  });

  test('is pulled from its oldest event on, when the ones before are no longer kept', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const ids = await raise(actor, 6);
    hooks.world.now += 31 * DAY_MS;
    for (const id of [ids[0], ids[1], ids[3]])
      await hooks.world.table.write({ delete: KEYS.delivery(parseId('delivery', id)) });
    expect(await sequences(actor, subscription)).toEqual([3, 5, 6]);
    expect(await sequences(actor, subscription, 3)).toEqual([5, 6]);
  });

  test('is pulled with a last sequence that is never behind the events beside it', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await raise(actor, 3);
    // As it was read before the events were given out.
    const subscriptions = { ...hooks.ports.subscriptions, read: async () => subscription };
    const page = await pullEvents({ ...hooks.ports, subscriptions }, actor, subscription.id, 0, 50);
    expect(page).toMatchObject({ items: [{}, {}, { sequence: 3 }], lastSequence: 3 });
  });

  test('is not pulled beyond a gap that the index has not closed yet', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const ids = await raise(actor, 4);
    await hooks.world.table.write({ delete: KEYS.delivery(parseId('delivery', ids[2])) });
    expect(await sequences(actor, subscription)).toEqual([1, 2]);
    hooks.world.now += 61_000;
    expect(await sequences(actor, subscription)).toEqual([1, 2, 4]);
  });
});

describe('what failed', () => {
  test('is handed over on resume in the order in which its events happened, without counting all deliveries of the subscription', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => ok(500));
    const ids = await raise(actor, 3);
    await deliverAll(hooks.ports, ids);
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'paused' });
    hooks.workItems.length = 0;
    const queries = calls('Query');
    await changeSubscription(hooks.ports, actor, subscription.id, { status: 'active' });
    expect(hooks.workItems.map(({ id }) => id)).toEqual(ids);
    expect(calls('Query') - queries).toBe(1);
  });

  test('of a range is replayed in that order too', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const from = hooks.world.now;
    const ids = [...(await raise(actor, 20)), ...(await raise(actor, 20))];
    await deliverAll(hooks.ports, ids);
    hooks.workItems.length = 0;
    const range = { from, to: hooks.world.now, status: 'delivered' as const };
    expect(await replayRange(hooks.ports, actor, subscription.id, range)).toEqual({ replayed: 40 });
    expect(hooks.workItems.map(({ id }) => id)).toEqual(ids);
  });
});

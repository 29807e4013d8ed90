import { describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { EVENT_TYPES, type EventType } from '../../shared/domain/events/catalogue.ts';
import { EVENT_EXAMPLES } from '../../shared/domain/events/examples.ts';
import { attemptsOf, pullEvents, replayOne } from '../../shared/domain/webhooks/history.ts';
import { changeSubscription, rotateSecret } from '../../shared/domain/webhooks/manage.ts';
import { ok, useWebhooks } from '../support/webhook-world.ts';
import { deliveriesOf } from './kit.ts';

const FULL = '+5511987654321';
const MASKED = '+55119****4321';

const hooks = await useWebhooks();
const { queue, fan, deliver, stored, current } = deliveriesOf(hooks);

const limited = (actor: Actor): Actor => ({
  ...actor,
  scopes: new Set([...actor.scopes].filter((scope) => scope !== 'pii:full')),
});
const deliverOne = async (actor: Actor) => {
  const id = await queue(actor);
  await deliver(id);
  return { delivery: await stored(id), to: JSON.parse(hooks.posted.at(-1)?.body ?? '').data.to };
};

describe('a subscription whose creator has pii:full', () => {
  test('shows no full phone to others of its organization: not in attempts, nor in responses, nor in the feed', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, ({ body }) => ({ ...ok(200, { 'x-echo': FULL }), body }));
    const { delivery, to } = await deliverOne(actor);
    expect(to).toBe(FULL);
    for (const [reader, shown, hidden] of [
      [actor, FULL, MASKED],
      [limited(actor), MASKED, FULL],
    ] as const) {
      const [attempt] = await attemptsOf(hooks.ports, reader, delivery);
      expect(attempt?.responseHeaders).toEqual({ 'x-echo': shown });
      expect(JSON.parse(attempt?.requestBody ?? '').data.to).toBe(shown);
      expect(JSON.parse(attempt?.responseBody ?? '').data.to).toBe(shown);
      const feed = await pullEvents(hooks.ports, reader, subscription.id, 0, 10);
      expect(feed).toMatchObject({ items: [{ data: { to: shown } }] });
      expect(JSON.stringify([attempt, feed])).not.toContain(hidden);
    }
  });

  test('carries masked recipients for good once somebody without pii:full changes its URL', async () => {
    const { actor, subscription } = await hooks.subscribe();
    await changeSubscription(hooks.ports, limited(actor), subscription.id, { description: 'Pedidos' });
    expect((await deliverOne(actor)).to).toBe(FULL);
    await changeSubscription(hooks.ports, actor, subscription.id, { url: 'https://second.example/hook' });
    expect((await deliverOne(actor)).to).toBe(FULL);
    await changeSubscription(hooks.ports, limited(actor), subscription.id, { url: 'https://theirs.example/hook' });
    expect((await deliverOne(actor)).to).toBe(MASKED);
    await changeSubscription(hooks.ports, actor, subscription.id, { url: 'https://third.example/hook' });
    expect((await deliverOne(actor)).to).toBe(MASKED);
  });
});

test('attempts of a masked subscription are shown as they were sent', async () => {
  const { actor } = await hooks.subscribe({}, limited(hooks.world.actor()));
  const { delivery } = await deliverOne(actor);
  const [attempt] = await attemptsOf(hooks.ports, actor, delivery);
  expect(attempt?.requestBody).toBe(hooks.posted.at(-1)?.body);
});

describe('who has no pii:full, at a subscription whose creator has it', () => {
  test('does not rotate its secret, and the old one stays', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const refused = await rotateSecret(hooks.ports, limited(actor), subscription.id, 0);
    expect(refused).toMatchObject({ name: 'FORBIDDEN' });
    expect(await current(subscription)).toMatchObject({ secrets: subscription.secrets });
    const masked = await hooks.subscribe({}, limited(actor));
    expect(await rotateSecret(hooks.ports, limited(actor), masked.subscription.id, 0)).toHaveProperty('secret');
  });

  test('gets what waited, and what is replayed, only masked at a URL of their own', async () => {
    const { actor, subscription } = await hooks.subscribe();
    const [first, second] = [await queue(actor), await queue(actor)];
    await deliver(first);
    const url = 'https://theirs.example/hook';
    await changeSubscription(hooks.ports, limited(actor), subscription.id, { url });
    await replayOne(hooks.ports, limited(actor), subscription.id, first);
    hooks.posted.length = 0;
    await deliver(first, second);
    expect(hooks.posted.map((post) => [post.url, JSON.parse(post.body).data.to])).toEqual([
      [url, MASKED],
      [url, MASKED],
    ]);
  });

  test('masks it for good with other headers, which may choose the receiver, and not with the same', async () => {
    const headers = [{ key: 'x-inbox', value: 'inbox-0001' }];
    const change = async (change: object) => {
      const { actor, subscription } = await hooks.subscribe({ headers });
      await changeSubscription(hooks.ports, limited(actor), subscription.id, change);
      return (await deliverOne(actor)).to;
    };
    expect(await change({ headers: [{ key: 'x-inbox', value: '••••0001' }] })).toBe(FULL);
    expect(await change({ headers: [{ key: 'x-inbox', value: 'inbox-0002' }] })).toBe(MASKED);
    expect(await change({ headers: null })).toBe(MASKED);
  });
});

describe.each(EVENT_TYPES)('%s', (type: EventType) => {
  const PARTIES: readonly string[] = ['to', 'from', 'phone'];
  const data = EVENT_EXAMPLES[type];
  const fields = Object.entries(data).map(([name]) => name);

  test('has no address of a person but in the fields that are masked', () => {
    for (const [name, value] of Object.entries(data)) {
      if (!PARTIES.includes(name)) expect(JSON.stringify(value)).not.toMatch(/\+\d{8,}|\*{3}|@/);
      else expect(value).toContain('***');
    }
  });

  test('shows it in full to the subscription of a creator with pii:full alone, in delivery, attempts and feed', async () => {
    const actor = hooks.world.actor();
    const made = [
      await hooks.subscribe({ events: [type] }, actor),
      await hooks.subscribe({ events: [type] }, limited(actor)),
    ];
    const ids = await fan([await hooks.event(actor, type, { ...data })]);
    await deliver(...ids);
    const seen = async ({ subscription }: (typeof made)[number]) => {
      const post = hooks.posted.find(({ url }) => url === subscription.url);
      const feed = await pullEvents(hooks.ports, actor, subscription.id, 0, 1);
      const { data: delivered } = JSON.parse(post?.body ?? '{}');
      expect(feed).toMatchObject({ items: [{ data: delivered }] });
      return delivered;
    };
    const party = fields.find((name) => PARTIES.includes(name));
    expect(await seen(made[0] as never)).toEqual({ ...data, ...(party ? { [party]: FULL } : {}) });
    expect(await seen(made[1] as never)).toEqual({ ...data });
    for (const id of ids)
      for (const attempt of await attemptsOf(hooks.ports, limited(actor), await stored(id)))
        expect(JSON.stringify(attempt)).not.toContain(FULL);
  });
});

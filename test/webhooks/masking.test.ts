import { describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { attemptsOf, pullEvents } from '../../shared/domain/webhooks/history.ts';
import { changeSubscription } from '../../shared/domain/webhooks/manage.ts';
import { ok, useWebhooks } from '../support/webhook-world.ts';
import { deliveriesOf } from './kit.ts';

const FULL = '+5511987654321';
const MASKED = '+55119****4321';

const hooks = await useWebhooks();
const { queue, deliver, stored } = deliveriesOf(hooks);

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

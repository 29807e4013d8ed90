import { describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { parseId } from '../../shared/domain/core/ids.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { fanOut } from '../../shared/domain/webhooks/fan-out.ts';
import { attemptsOf, pullEvents } from '../../shared/domain/webhooks/history.ts';
import { changeSubscription } from '../../shared/domain/webhooks/manage.ts';
import { ok, useWebhooks } from '../support/webhook-world.ts';

const FULL = '+5511987654321';
const MASKED = '+55119****4321';

const hooks = await useWebhooks();

const limited = (actor: Actor): Actor => ({
  ...actor,
  scopes: new Set([...actor.scopes].filter((scope) => scope !== 'pii:full')),
});
const deliverOne = async (actor: Actor) => {
  hooks.world.now += 1;
  const event = await hooks.event(actor);
  hooks.workItems.length = 0;
  await fanOut(hooks.ports, [event]);
  const id = parseId('delivery', hooks.workItems.splice(0)[0]?.id);
  await deliverAll(hooks.ports, [id]);
  const delivery = await hooks.ports.deliveries.read(id);
  if (!delivery) throw new Error('there is no such delivery');
  return { delivery, to: JSON.parse(hooks.posted.at(-1)?.body ?? '').data.to };
};

describe('a subscription of somebody with pii:full', () => {
  test('shows others of its organization no address: not in attempts, not in what was answered, not in the feed', async () => {
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

  test('is not led to an address of somebody without it: from then on it carries masked recipients', async () => {
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

test('attempts of a masked subscription are shown as they were made', async () => {
  const { actor } = await hooks.subscribe({}, limited(hooks.world.actor()));
  const { delivery } = await deliverOne(actor);
  const [attempt] = await attemptsOf(hooks.ports, actor, delivery);
  expect(attempt?.requestBody).toBe(hooks.posted.at(-1)?.body);
});

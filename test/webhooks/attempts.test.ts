import { describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { fanOut } from '../../shared/domain/webhooks/fan-out.ts';
import { replayOne } from '../../shared/domain/webhooks/history.ts';
import { revokeSubscription } from '../../shared/domain/webhooks/manage.ts';
import type { Delivery, Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { hung, ok, useWebhooks } from '../support/webhook-world.ts';

const hooks = await useWebhooks();

const give = async (actor: Actor): Promise<Id<'delivery'>> => {
  hooks.world.now += 1;
  hooks.workItems.length = 0;
  await fanOut(hooks.ports, [await hooks.event(actor)]);
  return parseId('delivery', hooks.workItems[0]?.id);
};
const stored = async (id: Id<'delivery'>): Promise<Delivery> => {
  const delivery = await hooks.ports.deliveries.read(id);
  if (!delivery) throw new Error('there is no such delivery');
  return delivery;
};
const failures = async ({ organizationId, id }: Subscription) =>
  (await hooks.ports.subscriptions.read(organizationId, id))?.consecutiveFailures;

describe('an attempt', () => {
  test.each([
    [199, 'failed'],
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [300, 'failed'],
    [304, 'failed'],
    [404, 'failed'],
    [500, 'failed'],
  ] as const)('that is answered %i leaves its delivery %s', async (status, standing) => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => ok(status));
    const id = await give(actor);
    await deliverAll(hooks.ports, [id]);
    expect(await stored(id)).toMatchObject({ status: standing, attempts: 1 });
  });

  test('has 15 s for all of it', async () => {
    const { actor } = await hooks.subscribe();
    await deliverAll(hooks.ports, [await give(actor)]);
    expect(hooks.posted.map(({ timeoutMs }) => timeoutMs)).toEqual([15_000]);
  });

  test('that fails counts once for its event, whatever becomes of its retries; a replay is a new round', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => hung());
    const id = await give(actor);
    for (let attempts = 1; attempts <= 4; attempts++) {
      await deliverAll(hooks.ports, [id]);
      expect(await stored(id)).toMatchObject({ attempts });
      expect(await failures(subscription)).toBe(1);
      hooks.world.now = (await stored(id)).nextAttemptAt ?? Number.NaN;
    }
    await replayOne(hooks.ports, actor, subscription.id, id);
    await deliverAll(hooks.ports, [id]);
    expect(await failures(subscription)).toBe(2);
  });

  test('is not made by a worker whose reading is of before another’s attempt', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => ok(500));
    const id = await give(actor);
    const before = await stored(id);
    await deliverAll(hooks.ports, [id]);
    await hooks.ports.deliveries.advance(await stored(id), hooks.world.now);
    const { now } = hooks.world;
    expect(await hooks.ports.deliveries.claim(before, now, now + 1_000)).toBe(false);
    expect(await hooks.ports.deliveries.claim(await stored(id), now, now + 1_000)).toBe(true);
  });

  test('is not made before its time by a worker whose reading is of before it was put off', async () => {
    const { actor } = await hooks.subscribe();
    const id = await give(actor);
    const before = await stored(id);
    const { now } = hooks.world;
    expect(await hooks.ports.deliveries.claim(before, now, now + 1_000)).toBe(true);
    await hooks.ports.deliveries.postpone(before, now + 2_000);
    expect(await hooks.ports.deliveries.claim(before, now + 1_999, now + 5_000)).toBe(false);
    expect(await hooks.ports.deliveries.claim(before, now + 2_000, now + 5_000)).toBe(true);
  });
});

test('a revoked subscription is given no event, and costs no write', async () => {
  const { actor, subscription } = await hooks.subscribe();
  await revokeSubscription(hooks.ports, actor, subscription.id);
  const event = await hooks.event(actor);
  const writes = () => hooks.world.proxy.calls.get('TransactWriteItems') ?? 0;
  const before = writes();
  expect(await fanOut(hooks.ports, [event])).toEqual([{ status: 'fulfilled', value: 0 }]);
  expect(writes()).toBe(before);
});

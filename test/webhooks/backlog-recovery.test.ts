import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { ok, useWebhooks } from '../support/webhook-world.ts';
import { backlogsOf, HOUR, SECOND } from './backlogs.ts';

const hooks = await useWebhooks();
const on = backlogsOf(hooks);

/** Attempts everything in the queue at once, as one batch of it. */
const deliverQueued = () => on.deliver(...hooks.workItems.splice(0).map(({ id }) => id));

/** An endpoint whose first events failed at once: the one that got the slot, and those that waited for its drain. */
const failedTogether = async (retry: { maxAttempts: number; backoffSeconds: number }, count = 6) => {
  const made = await hooks.subscribe({ retry });
  hooks.answers.set(made.subscription.url, () => ok(500));
  await on.raise(made.actor, 1);
  await deliverQueued();
  await on.raise(made.actor, count - 1);
  await deliverQueued();
  await on.nextDrain(made.subscription);
  return made;
};

/** The time until the last event is delivered when every drain runs at its due time, in ms. */
const untilDelivered = async (subscription: Subscription): Promise<number> => {
  const since = hooks.world.now;
  for (let turn = 0; turn < 5; turn++) {
    await on.nextDrain(subscription);
    if ((await on.feed(subscription)).at(-1)?.status === 'delivered') break;
  }
  expect((await on.feed(subscription)).at(-1)).toMatchObject({ status: 'delivered' });
  return hooks.world.now - since;
};

describe('an endpoint that answers again', () => {
  test.each([0, 10, 60, 120])(
    'gets a new event within 15 s although all earlier ones are abandoned, %i s after its backlog was emptied',
    async (seconds) => {
      const { actor, subscription } = await failedTogether({ maxAttempts: 1, backoffSeconds: 5 });
      expect(await on.statuses(subscription)).toEqual({ abandoned: 6 });
      expect(await on.current(subscription)).toMatchObject({ status: 'failing' });
      for (const end = hooks.world.now + seconds * SECOND; hooks.world.now < end; ) await on.nextDrain(subscription);
      hooks.answers.delete(subscription.url);
      await on.raise(actor, 1);
      expect(hooks.workItems).toEqual([]);
      expect(await untilDelivered(subscription)).toBeLessThanOrEqual(15 * SECOND);
    },
  );

  test('is as any other: after an outage of a day, a backlog that its next failures fill is drained within 15 s', async () => {
    const { actor, subscription } = await on.failing();
    hooks.world.now += 24 * HOUR;
    await on.raise(actor, 1);
    hooks.answers.delete(subscription.url);
    await on.nextDrain(subscription);
    expect(await on.current(subscription)).toMatchObject({ status: 'active' });
    hooks.answers.set(subscription.url, () => ok(500));
    await on.raise(actor, 7);
    await deliverQueued();
    const { drainAt = Number.NaN } = (await on.current(subscription)) ?? {};
    expect(drainAt - hooks.world.now).toBeLessThanOrEqual(15 * SECOND);
  });
});

describe('a due retry', () => {
  test('that finds no slot free is repeated within 15 s', async () => {
    const { subscription } = await failedTogether({ maxAttempts: 3, backoffSeconds: 5 }, 4);
    expect(await on.statuses(subscription)).toEqual({ failed: 4 });
    hooks.world.now += 7 * SECOND;
    const due = (await on.feed(subscription)).map(({ id }) => id);
    await on.deliver(...due);
    expect((await on.feed(subscription)).filter(({ inBacklog }) => inBacklog)).not.toEqual([]);
    expect(await on.nextDrain(subscription)).toBeLessThanOrEqual(15 * SECOND);
    expect((await on.feed(subscription)).map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2]);
  });

  test('is repeated at its time though many endpoints fail at once', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => hooks.subscribe()));
    for (const { actor, subscription } of made) {
      hooks.answers.set(subscription.url, () => pause(20).then(() => ok(500)));
      await on.raise(actor, 1);
    }
    await deliverQueued();
    hooks.world.now += 40 * SECOND;
    await deliverQueued();
    const attempts = made.map(async ({ subscription }) => (await on.feed(subscription)).map((of) => of.attempts));
    expect(await Promise.all(attempts)).toEqual(made.map(() => [2]));
  });

  test('whose slot hanging endpoints hold is repeated seconds later, however long the backlog would wait', async () => {
    const { actor, subscription } = await on.failing();
    const release = await on.holdSlots();
    await on.raise(actor, 1);
    expect(((await on.current(subscription))?.drainAt ?? 0) - hooks.world.now).toBeGreaterThan(15 * SECOND);
    const id = parseId('delivery', (await on.feed(subscription))[0]?.id);
    hooks.drains.length = 0;
    await on.deliver(id);
    expect(hooks.drains).toEqual([{ id: subscription.id, delay: 2 }]);
    expect(await on.nextDrain(subscription)).toBe(2 * SECOND);
    expect(await on.nextDrain(subscription)).toBe(2 * SECOND);
    expect(on.postedTo(subscription)).toEqual([]);
    await release();
    await on.nextDrain(subscription);
    expect((await on.stored(id)).attempts).toBe(2);
  });
});

import { describe, expect, test } from 'vitest';
import { fanOut } from '../../shared/domain/webhooks/fan-out.ts';
import { replayOne } from '../../shared/domain/webhooks/history.ts';
import { revokeSubscription } from '../../shared/domain/webhooks/manage.ts';
import { hung, ok, useWebhooks } from '../support/webhook-world.ts';
import { deliveriesOf } from './kit.ts';

const hooks = await useWebhooks();
const { raise, queue, deliver, stored, current, calls } = deliveriesOf(hooks);

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
  ] as const)('that is answered %i makes its delivery %s', async (answer, status) => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => ok(answer));
    const id = await queue(actor);
    await deliver(id);
    expect(await stored(id)).toMatchObject({ status, attempts: 1 });
  });

  test('has 15 s in all', async () => {
    const { actor } = await hooks.subscribe();
    await deliver(await queue(actor));
    expect(hooks.posted.map(({ timeoutMs }) => timeoutMs)).toEqual([15_000]);
  });

  test('that fails counts once per event, however its retries end; a replay is a new round', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => hung());
    const id = await queue(actor);
    for (let attempts = 1; attempts <= 4; attempts++) {
      await deliver(id);
      expect(await stored(id)).toMatchObject({ attempts });
      expect((await current(subscription))?.consecutiveFailures).toBe(1);
      hooks.world.now = (await stored(id)).nextAttemptAt ?? Number.NaN;
    }
    await replayOne(hooks.ports, actor, subscription.id, id);
    await deliver(id);
    expect((await current(subscription))?.consecutiveFailures).toBe(2);
  });

  test('is not made by a worker that read the delivery before another worker’s attempt', async () => {
    const { actor, subscription } = await hooks.subscribe();
    hooks.answers.set(subscription.url, () => ok(500));
    const id = await queue(actor);
    const before = await stored(id);
    await deliver(id);
    await hooks.ports.deliveries.advance(await stored(id), hooks.world.now);
    const { now } = hooks.world;
    expect(await hooks.ports.deliveries.claim(before, now, now + 1_000)).toBeUndefined();
    expect(await hooks.ports.deliveries.claim(await stored(id), now, now + 1_000)).toMatchObject({ id });
  });

  test('of a worker whose claim another one took over is neither recorded nor shown, and does not hide the other’s', async () => {
    const { actor } = await hooks.subscribe();
    const id = await queue(actor);
    const before = await stored(id);
    const { claim, record, attempts } = hooks.ports.deliveries;
    const { now } = hooks.world;
    const [paused, other] = [await claim(before, now, now + 10), await claim(before, now + 10, now + 20)];
    if (!paused || !other) throw new Error('the delivery was not claimed');
    const result = (durationMs: number) => ({ attempt: { at: now, durationMs }, status: 'delivered' as const });
    expect(await record(paused, result(1))).toBe(false);
    expect(await stored(id)).toMatchObject({ status: 'pending', attemptCount: 0 });
    expect(await record(other, result(2))).toBe(true);
    expect(await record(paused, result(3))).toBe(false);
    expect(await attempts(id)).toMatchObject([{ durationMs: 2 }]);
    expect(await stored(id)).toMatchObject({ attemptCount: 1, summaries: [{ at: now, durationMs: 2 }] });
  });

  test('is not made early by a worker that read the delivery before it was postponed', async () => {
    const { actor } = await hooks.subscribe();
    const id = await queue(actor);
    const before = await stored(id);
    const { now } = hooks.world;
    const claimed = await hooks.ports.deliveries.claim(before, now, now + 1_000);
    if (!claimed) throw new Error('the delivery was not claimed');
    await hooks.ports.deliveries.postpone(claimed, now + 2_000);
    expect(await hooks.ports.deliveries.claim(before, now + 1_999, now + 5_000)).toBeUndefined();
    expect(await hooks.ports.deliveries.claim(before, now + 2_000, now + 5_000)).toMatchObject({ id });
  });
});

test('a revoked subscription gets no event, and costs no write', async () => {
  const { actor, subscription } = await hooks.subscribe();
  await revokeSubscription(hooks.ports, actor, subscription.id);
  const event = await raise(actor);
  const before = calls('TransactWriteItems');
  expect(await fanOut(hooks.ports, [event])).toEqual([{ status: 'fulfilled', value: 0 }]);
  expect(calls('TransactWriteItems')).toBe(before);
});

import { describe, expect, test } from 'vitest';
import { accepted } from '../support/accepted.ts';
import { reachable, usePush } from './world.ts';

const OPENING = 10_000;
const HOUR_MS = 3_600_000;

const { world, push } = await usePush();

describe('a repeat of a push send answers as the call that created its message', () => {
  const sent = async (devices: number, quietUntil = 0) => {
    const { actor } = await push.organization(OPENING, reachable(devices));
    push.quiet.until = quietUntil;
    const first = accepted(await push.post(actor, 'key'));
    const repeated = async () => accepted(await push.post(actor, 'key'));
    return { first, repeated };
  };

  test('after its devices were reached', async () => {
    const { first, repeated } = await sent(3);
    expect(first).toMatchObject({ status: 'queued', billing: { coins: 30, chargedCoins: 0 }, replayed: false });
    await push.drain();
    expect(await repeated()).toEqual({ ...first, replayed: true });
  });

  test('where its audience had no devices', async () => {
    const { first, repeated } = await sent(0);
    expect(first).toMatchObject({ status: 'sent', sentAt: first.createdAt, metrics: { reach: 0 } });
    world.now += HOUR_MS;
    expect(await repeated()).toEqual({ ...first, replayed: true });
  });

  test('where quiet hours deferred it at once', async () => {
    const until = world.now + HOUR_MS;
    const { first, repeated } = await sent(1, until);
    expect(first).toMatchObject({ quietDeferredTo: new Date(until).toISOString() });
    await push.drain();
    expect(await repeated()).toEqual({ ...first, replayed: true });
  });

  test('where quiet hours that were set later deferred it', async () => {
    const { first, repeated } = await sent(1);
    expect(first).not.toHaveProperty('quietDeferredTo');
    world.now += 1;
    push.quiet.until = world.now + HOUR_MS;
    const [item] = push.workItems.splice(0);
    if (item) await push.work(item);
    expect(await push.send.sender.message(first.id)).toMatchObject({ quietDeferredTo: push.quiet.until });
    expect(await repeated()).toEqual({ ...first, replayed: true });
  });
});

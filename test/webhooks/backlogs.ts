import { expect } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { drainBacklog } from '../../shared/domain/webhooks/drain.ts';
import { fanOut } from '../../shared/domain/webhooks/fan-out.ts';
import type { DeliveryStatus, Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { overdue } from '../../shared/storage/work/due.ts';
import { ok, type Posted, type WebhookWorld } from './webhook-world.ts';

export const SECOND = 1_000;
export const HOUR = 3_600_000;

/** What tests of backlogs do and look at. */
export const backlogsOf = (hooks: WebhookWorld) => {
  const give = async (actor: Actor, count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let at = 0; at < count; at++) {
      hooks.world.now += 1;
      const event = await hooks.event(actor);
      ids.push(event.id);
      expect(await fanOut(hooks.ports, [event])).toMatchObject([{ status: 'fulfilled', value: 1 }]);
    }
    return ids;
  };
  const now = ({ organizationId, id }: Subscription) => hooks.ports.subscriptions.read(organizationId, id);
  /** A subscription whose endpoint failed five events in a row, a minute after its last success. */
  const failing = async (
    answer: (post: Posted) => ReturnType<typeof ok> | Promise<ReturnType<typeof ok>> = () => ok(500),
  ) => {
    const made = await hooks.subscribe();
    hooks.answers.set(made.subscription.url, answer);
    hooks.world.now += 60 * SECOND;
    hooks.workItems.length = 0;
    await give(made.actor, 5);
    await deliverAll(
      hooks.ports,
      hooks.workItems.splice(0).map(({ id }) => id),
    );
    expect(await now(made.subscription)).toMatchObject({ status: 'failing', consecutiveFailures: 5 });
    hooks.posted.length = 0;
    hooks.workItems.length = 0;
    return made;
  };
  const look = (subscription: Subscription) => drainBacklog(hooks.ports, subscription);
  /** Goes on to the moment of the next look, and looks. */
  const nextDrain = async (subscription: Subscription): Promise<number> => {
    const { drainAt = Number.NaN } = (await now(subscription)) ?? {};
    const waited = drainAt - hooks.world.now;
    hooks.world.now = Math.max(hooks.world.now, drainAt);
    await look(subscription);
    return waited;
  };
  const feed = (subscription: Subscription) => hooks.ports.deliveries.feed(subscription.id, 0, 1_000, hooks.world.now);
  const standing = async (subscription: Subscription): Promise<Partial<Record<DeliveryStatus, number>>> => {
    const counts: Partial<Record<DeliveryStatus, number>> = {};
    for (const { status } of await feed(subscription)) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  const calls = (action: string): number => hooks.world.proxy.calls.get(action) ?? 0;
  /** Holds the places of all endpoints that fail, until it is called. */
  const holdPlaces = async (): Promise<() => Promise<void>> => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const others = [await failing(), await failing(), await failing(), await failing()];
    for (const other of others) {
      hooks.answers.set(other.subscription.url, async () => {
        await held;
        return ok(500);
      });
      await give(other.actor, 1);
    }
    hooks.world.now += 60 * SECOND;
    const looks = others.map((other) => look(other.subscription));
    await expect.poll(() => hooks.posted.length, { timeout: 10_000, interval: 20 }).toBe(4);
    return async () => {
      release();
      await Promise.all(looks);
      hooks.posted.length = 0;
    };
  };
  const postedTo = ({ url }: Subscription) => hooks.posted.filter((post) => post.url === url);
  const idsPosted = (subscription: Subscription) => postedTo(subscription).map(({ headers }) => headers['webhook-id']);
  const dueOf = async (kind: 'deliver_webhook' | 'drain_backlog', at: number) =>
    (await overdue(hooks.world.table, kind, at, 4_000)).map(({ pk, sk }) => (kind === 'drain_backlog' ? sk : pk));
  return { give, now, failing, look, nextDrain, feed, standing, calls, holdPlaces, postedTo, idsPosted, dueOf };
};

import { expect } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { drainBacklog } from '../../shared/domain/webhooks/drain.ts';
import { fanOut } from '../../shared/domain/webhooks/fan-out.ts';
import type { DeliveryStatus, Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { overdue } from '../support/index-entries.ts';
import { ok, type Posted, type WebhookWorld } from '../support/webhook-world.ts';
import { deliveriesOf, PATIENCE } from './kit.ts';

export const SECOND = 1_000;
export const HOUR = 3_600_000;

/** Helpers of the tests of backlogs. */
export const backlogsOf = (hooks: WebhookWorld) => {
  const deliveries = deliveriesOf(hooks);
  const { current, deliver, feed } = deliveries;
  /** Raises events and fans each out; their ids. */
  const raise = async (actor: Actor, count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let at = 0; at < count; at++) {
      const event = await deliveries.raise(actor);
      ids.push(event.id);
      expect(await fanOut(hooks.ports, [event])).toMatchObject([{ status: 'fulfilled', value: 1 }]);
    }
    return ids;
  };
  /** A subscription whose endpoint failed five events in a row, a minute after its last success. */
  const failing = async (
    answer: (post: Posted) => ReturnType<typeof ok> | Promise<ReturnType<typeof ok>> = () => ok(500),
  ) => {
    const made = await hooks.subscribe();
    hooks.answers.set(made.subscription.url, answer);
    hooks.world.now += 60 * SECOND;
    hooks.workItems.length = 0;
    await raise(made.actor, 5);
    await deliver(...hooks.workItems.splice(0).map(({ id }) => id));
    expect(await current(made.subscription)).toMatchObject({ status: 'failing', consecutiveFailures: 5 });
    hooks.posted.length = 0;
    hooks.workItems.length = 0;
    return made;
  };
  const drain = (subscription: Subscription) => drainBacklog(hooks.ports, subscription);
  /** Advances the clock to the next drain, and drains; how long that was, in ms. */
  const nextDrain = async (subscription: Subscription): Promise<number> => {
    const { drainAt = Number.NaN } = (await current(subscription)) ?? {};
    const waited = drainAt - hooks.world.now;
    hooks.world.now = Math.max(hooks.world.now, drainAt);
    await drain(subscription);
    return waited;
  };
  /** How many deliveries have each status. */
  const statuses = async (subscription: Subscription): Promise<Partial<Record<DeliveryStatus, number>>> => {
    const counts: Partial<Record<DeliveryStatus, number>> = {};
    for (const { status } of await feed(subscription)) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  /** Occupies all slots of failing endpoints until the returned function is called. */
  const holdSlots = async (): Promise<() => Promise<void>> => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const others = [await failing(), await failing(), await failing(), await failing()];
    for (const other of others) {
      hooks.answers.set(other.subscription.url, () => held.then(() => ok(500)));
      await raise(other.actor, 1);
    }
    hooks.world.now += 60 * SECOND;
    const drains = others.map((other) => drain(other.subscription));
    await expect.poll(() => hooks.posted.length, PATIENCE).toBe(4);
    return async () => {
      release();
      await Promise.all(drains);
      hooks.posted.length = 0;
    };
  };
  const postedTo = ({ url }: Subscription) => hooks.posted.filter((post) => post.url === url);
  const idsPosted = (subscription: Subscription) => postedTo(subscription).map(({ headers }) => headers['webhook-id']);
  const dueOf = async (kind: 'deliver_webhook' | 'drain_backlog', at: number) =>
    (await overdue(hooks.world.table, kind, at, 4_000)).map(({ pk, sk }) => (kind === 'drain_backlog' ? sk : pk));
  return { ...deliveries, raise, failing, drain, nextDrain, statuses, holdSlots, postedTo, idsPosted, dueOf };
};

import { expect } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import type { EventType } from '../../shared/domain/events/catalogue.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { deliveryIdOf } from '../../shared/domain/webhooks/envelope.ts';
import { fanOut } from '../../shared/domain/webhooks/fan-out.ts';
import { sendTest } from '../../shared/domain/webhooks/manage.ts';
import type { Delivery, Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { accepted } from '../support/accepted.ts';
import type { WebhookWorld } from '../support/webhook-world.ts';

export const PATIENCE = { timeout: 45_000, interval: 20 };

/** Test actions on a webhook world: raise events, fan them out, attempt deliveries, read what is stored. */
export const deliveriesOf = (hooks: WebhookWorld) => {
  /** An event, a millisecond after the one before. */
  const raise = (actor: Actor): Promise<DomainEvent> => {
    hooks.world.now += 1;
    return hooks.event(actor);
  };
  const raiseMany = async (actor: Actor, count: number): Promise<DomainEvent[]> => {
    const events: DomainEvent[] = [];
    for (let at = 0; at < count; at++) events.push(await raise(actor));
    return events;
  };
  /** Fans events out; the deliveries that were queued are taken from the queue. */
  const fan = async (events: readonly DomainEvent[]): Promise<Id<'delivery'>[]> => {
    hooks.workItems.length = 0;
    expect(await fanOut(hooks.ports, events)).toMatchObject(events.map(() => ({ status: 'fulfilled' })));
    return hooks.workItems.splice(0).map(({ id }) => id);
  };
  const queueMany = async (actor: Actor, count: number) => fan(await raiseMany(actor, count));
  /** The delivery of one new event to the organization's only subscription, taken from the queue. */
  const queue = async (actor: Actor) => parseId('delivery', (await queueMany(actor, 1))[0]);
  const deliver = async (...ids: readonly Id<'delivery'>[]): Promise<void> =>
    expect(await deliverAll(hooks.ports, ids)).toMatchObject(ids.map(() => ({ status: 'fulfilled' })));
  const stored = async (id: Id<'delivery'>): Promise<Delivery> => {
    const delivery = await hooks.ports.deliveries.read(id);
    if (!delivery) throw new Error('there is no such delivery');
    return delivery;
  };
  /** A subscription as it is stored now. */
  const current = ({ organizationId, id }: Subscription) => hooks.ports.subscriptions.read(organizationId, id);
  /** The deliveries of the events in a subscription's feed. */
  const feed = async ({ id }: Pick<Subscription, 'id'>): Promise<Delivery[]> => {
    const { entries } = await hooks.ports.deliveries.feed(id, 0, 500);
    const found = await Promise.all(entries.map(({ eventId }) => stored(deliveryIdOf(id, eventId))));
    expect(found.map(({ sequence }) => sequence)).toEqual(entries.map(({ sequence }) => sequence));
    return found;
  };
  /** Queues a test event; its delivery. */
  const queueTest = async (actor: Actor, { id }: Subscription, type: EventType = 'sms.delivered') =>
    accepted(await sendTest(hooks.ports, actor, id, type)).id;
  const calls = (action: string): number => hooks.world.proxy.calls.get(action) ?? 0;
  return { raise, raiseMany, fan, queueMany, queue, deliver, stored, current, feed, queueTest, calls };
};

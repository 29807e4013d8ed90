import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { deliveryIdOf } from '../../domain/webhooks/envelope.ts';
import type { Waiting } from '../../domain/webhooks/ports.ts';
import type { Delivery, Subscription } from '../../domain/webhooks/subscription.ts';
import { KEYS } from '../access-patterns.ts';
import { coalescedRead } from '../client/coalescer.ts';
import { ABSENT, EXISTS } from '../client/conditions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { outbox } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { firstDue, isInBacklog, newRow } from './delivery-rows.ts';
import { type Deliveries, MAX_APPENDED, takeNumbers } from './feed-log.ts';
import { backlogWrite } from './subscriptions.ts';

/** Concurrent writes of one call. */
const CONCURRENT_PUTS = 25;

/** The shared state of one subscription's fan-out. */
interface FanOut {
  readonly table: Table;
  readonly subscription: Subscription;
  readonly now: number;
  readonly drainAt: number | undefined;
}

const keyOf = ({ subscription }: FanOut, eventId: Id<'event'>) => KEYS.delivery(deliveryIdOf(subscription.id, eventId));

const newDelivery = ({ subscription, now }: FanOut, event: DomainEvent, sequence: number): Delivery => ({
  id: deliveryIdOf(subscription.id, event.id),
  webhookId: subscription.id,
  organizationId: subscription.organizationId,
  eventId: event.id,
  type: event.type,
  sequence,
  status: 'pending',
  attempts: 0,
  attemptCount: 0,
  nextAttemptAt: now,
  createdAt: now,
  priority: event.priority,
});

/** Puts an event's delivery if it is absent; returns its row, whoever created it. */
const put = async (of: FanOut, event: DomainEvent, sequence: number): Promise<Row> => {
  const delivery = newDelivery(of, event, sequence);
  const backlog = INDEX_KEYS.backlogOf(delivery.webhookId, delivery.id, delivery.createdAt);
  const row = newRow(delivery, of.drainAt === undefined ? firstDue(delivery) : backlog);
  const { ok, row: found } = await of.table.write({ put: row, when: ABSENT });
  return ok ? row : (found ?? row);
};

/** The rows of events' deliveries, in order; undefined if there is none. */
const rowsOf = (of: FanOut, ids: readonly Id<'event'>[]) =>
  coalescedRead(
    of.table,
    ids.map((eventId) => keyOf(of, eventId)),
  );

/**
 * The deliveries of a fan-out, as the log needs them; `made` collects the rows of those that exist. An event whose fan-out crashed between
 * its number and its delivery gets the delivery here, unless it is published: then it had one, which has expired.
 */
const deliveriesOf = (of: FanOut, made: Map<Id<'event'>, Row>): Deliveries => ({
  async unmade(ids) {
    const rows = await rowsOf(of, ids);
    for (const [at, eventId] of ids.entries()) {
      const row = rows[at];
      if (row) made.set(eventId, row);
    }
    return ids.filter((_, at) => rows[at] === undefined);
  },
  async make(entries) {
    const rows = await rowsOf(
      of,
      entries.map(({ eventId }) => eventId),
    );
    const missing = entries.filter((_, at) => rows[at] === undefined);
    const events = await outbox(of.table).readAll(missing.map(({ eventId }) => eventId));
    await Promise.all(
      missing.map(async ({ sequence }, at) => {
        const read = events[at];
        const stored = read?.status === 'fulfilled' ? read.value : undefined;
        if (stored && !stored.published) await put(of, stored.event, sequence);
      }),
    );
  },
});

/** Whether the delivery has not been attempted yet: the work item of its first attempt may have been lost with its creator. */
const isUntried = (row: Row): boolean => row.status === 'pending' && row.attemptCount === 0;

const numberOf = (numbers: ReadonlyMap<Id<'event'>, number>, eventId: Id<'event'>): number => {
  const number = numbers.get(eventId);
  if (number === undefined) throw new RangeError('an event without a delivery has no number');
  return number;
};

/** Creates the deliveries of at most `MAX_APPENDED` events; returns those without an attempt. */
const storeDeliveries = async (of: FanOut, events: readonly DomainEvent[]): Promise<Waiting[]> => {
  const { table, subscription, now, drainAt } = of;
  const made = new Map<Id<'event'>, Row>();
  const ids = events.map(({ id }) => id);
  const numbers = await takeNumbers(table, subscription.id, ids, deliveriesOf(of, made), now);
  const rows = await mapConcurrently(events, CONCURRENT_PUTS, async (event) => {
    const id = deliveryIdOf(subscription.id, event.id);
    const row = made.get(event.id) ?? (await put(of, event, numberOf(numbers, event.id)));
    return { id, event, row };
  });
  const untried = rows.filter(({ row }) => isUntried(row));
  // After the deliveries: a drain that found the backlog empty before them could have closed it.
  if (untried.some(({ id, row }) => isInBacklog(row, subscription.id, id))) {
    const write = backlogWrite(subscription.id, now, drainAt ?? now);
    await table.write({ update: KEYS.webhook(subscription.organizationId, subscription.id), ...write, when: EXISTS });
  }
  return untried.map(({ id, event: { id: eventId, organizationId, priority } }) => ({
    id,
    eventId,
    organizationId,
    priority,
  }));
};

/**
 * Creates a subscription's deliveries: assigns the events' numbers in one write of its log, then writes a delivery each. If this call is
 * interrupted, the repeat of the event, which stays due until everything is done, completes it: a number is found in the log again, a
 * delivery by its id. Returns the deliveries without an attempt. Throws `Unavailable` if the table does not respond.
 */
export const fanOut = async (
  table: Table,
  subscription: Subscription,
  events: readonly DomainEvent[],
  now: number,
  drainAt: number | undefined,
): Promise<Waiting[]> => {
  const untried: Waiting[] = [];
  for (let at = 0; at < events.length; at += MAX_APPENDED)
    untried.push(
      ...(await storeDeliveries({ table, subscription, now, drainAt }, events.slice(at, at + MAX_APPENDED))),
    );
  return untried;
};

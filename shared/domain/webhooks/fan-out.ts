import type { Id } from '../core/ids.ts';
import type { DomainEvent } from '../events/event.ts';
import { backlogWaitMs, joinsBacklog } from './backlog.ts';
import type { QueuedDelivery, Waiting, WebhookPorts } from './ports.ts';
import type { Subscription } from './subscription.ts';

type Outcome<T> = PromiseSettledResult<T>;

/** Whether a subscription receives an event: it includes the type, and is not newer than the event. */
export const isTakenBy = (
  { status, events, createdAt }: Pick<Subscription, 'status' | 'events' | 'createdAt'>,
  event: DomainEvent,
): boolean => status !== 'revoked' && events.includes(event.type) && createdAt <= event.createdAt;

/** Within a batch a subscription gets its events in chronological order. */
const byTime = (a: DomainEvent, b: DomainEvent): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

const rejected = (reason: unknown): PromiseRejectedResult => ({ status: 'rejected', reason });

/**
 * Creates the deliveries of committed events: an organization's subscriptions are read once, and each gets its events
 * in one call. Returns how many deliveries of each event wait for their first attempt, in the events' order; if a
 * subscription's deliveries could not be created, only those events fail. Deliveries to a throttled endpoint join its
 * backlog. A repeat creates no deliveries: it only enqueues those without an attempt again.
 */
export const fanOut = async (ports: WebhookPorts, events: readonly DomainEvent[]): Promise<Outcome<number>[]> => {
  const ordered = events.toSorted(byTime);
  const failed = new Map<Id<'event'>, unknown>();
  const waiting: Waiting[] = [];
  const enqueued: QueuedDelivery[] = [];
  const fanOutTo = async (subscription: Subscription, taken: readonly DomainEvent[]): Promise<void> => {
    try {
      const now = ports.clock();
      const wait = joinsBacklog(subscription, now) ? backlogWaitMs(ports, subscription) : undefined;
      const drainAt = wait === undefined ? undefined : now + wait;
      const made = await ports.deliveries.fanOut(subscription, taken, now, drainAt);
      waiting.push(...made);
      if (wait === undefined) enqueued.push(...made);
      else if (subscription.drainAt === undefined) ports.enqueueDrain(subscription, wait / 1000);
    } catch (fault) {
      for (const { id } of taken) failed.set(id, fault);
    }
  };
  const fanOutAll = async (organizationId: Id<'organization'>, theirs: readonly DomainEvent[]): Promise<void> => {
    try {
      const all = await ports.subscriptions.list(organizationId);
      const takers = all
        .map((subscription) => ({ subscription, taken: theirs.filter((event) => isTakenBy(subscription, event)) }))
        .filter(({ taken }) => taken.length > 0);
      await Promise.all(takers.map(({ subscription, taken }) => fanOutTo(subscription, taken)));
    } catch (fault) {
      for (const { id } of theirs) failed.set(id, fault);
    }
  };
  const organizations = Map.groupBy(ordered, ({ organizationId }) => organizationId);
  await Promise.all([...organizations].map(([id, theirs]) => fanOutAll(id, theirs)));
  ports.enqueue(enqueued);
  const count = Map.groupBy(waiting, ({ eventId }) => eventId);
  return events.map(({ id }) =>
    failed.has(id) ? rejected(failed.get(id)) : { status: 'fulfilled', value: count.get(id)?.length ?? 0 },
  );
};

/**
 * Publishes committed events: creates their deliveries, then marks the events whose deliveries all exist. Returns the
 * results in the ids' order. An event whose mark is lost is published again, which changes nothing.
 */
export const publishEvents = async (ports: WebhookPorts, ids: readonly Id<'event'>[]): Promise<Outcome<void>[]> => {
  const wanted = [...new Set(ids)];
  const found = await ports.events.readAll(wanted);
  const outcomes = new Map<Id<'event'>, Outcome<void>>();
  const waiting: DomainEvent[] = [];
  for (const [at, id] of wanted.entries()) {
    const read = found[at];
    outcomes.set(id, read?.status === 'rejected' ? read : { status: 'fulfilled', value: undefined });
    if (read?.status === 'fulfilled' && read.value && !read.value.published) waiting.push(read.value.event);
  }
  const fanned = await fanOut(ports, waiting);
  const done: { readonly event: DomainEvent; readonly deliveries: number }[] = [];
  for (const [at, event] of waiting.entries()) {
    const outcome = fanned[at];
    if (outcome?.status === 'fulfilled') done.push({ event, deliveries: outcome.value });
    else if (outcome) outcomes.set(event.id, outcome);
  }
  try {
    const events = done.map(({ event }) => event);
    if (events.length > 0) await ports.events.markPublished(events, ports.clock());
    ports.observe.published(done);
  } catch (fault) {
    for (const { event } of done) outcomes.set(event.id, rejected(fault));
  }
  return ids.map((id) => outcomes.get(id) ?? rejected(new RangeError('an event without an outcome')));
};

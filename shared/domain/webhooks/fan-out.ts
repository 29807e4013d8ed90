import type { DomainEvent } from '../events/event.ts';
import { backlogWaitMs, joinsBacklog } from './backlog.ts';
import type { Waiting, WebhookPorts } from './ports.ts';
import type { Subscription } from './subscription.ts';

type Outcome<T> = PromiseSettledResult<T>;

const takes = ({ status, events, createdAt }: Subscription, event: DomainEvent): boolean =>
  status !== 'revoked' && events.includes(event.type) && createdAt <= event.createdAt;

/** Within a batch a subscription gets its events in the order in which they happened. */
const byTime = (a: DomainEvent, b: DomainEvent): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

const rejected = (reason: unknown): PromiseRejectedResult => ({ status: 'rejected', reason });

/**
 * Gives committed events to every subscription that takes them: the subscriptions of an organization are read once, and each gets its
 * events together. How many deliveries of each event wait for their first attempt, in the events' order; a subscription that could not
 * be given its events fails those alone. An endpoint that takes nothing at the moment finds them in its backlog. Repeats make nothing: they
 * only hand over again what nobody has tried.
 */
export const fanOut = async (ports: WebhookPorts, events: readonly DomainEvent[]): Promise<Outcome<number>[]> => {
  const ordered = events.toSorted(byTime);
  const failed = new Map<string, unknown>();
  const waiting: Waiting[] = [];
  const hinted: string[] = [];
  const give = async (subscription: Subscription, taken: readonly DomainEvent[]): Promise<void> => {
    try {
      const now = ports.clock();
      const wait = joinsBacklog(subscription, now) ? backlogWaitMs(ports, subscription) : undefined;
      const lookAt = wait === undefined ? undefined : now + wait;
      const made = await ports.deliveries.fanOut(subscription, taken, now, lookAt);
      waiting.push(...made);
      if (wait === undefined) hinted.push(...made.map(({ id }) => id));
      else if (subscription.lookAt === undefined) ports.hintBacklog(subscription, wait / 1000);
    } catch (fault) {
      for (const { id } of taken) failed.set(id, fault);
    }
  };
  const giveAll = async (organizationId: string, theirs: readonly DomainEvent[]): Promise<void> => {
    try {
      const all = await ports.subscriptions.list(organizationId);
      const takers = all
        .map((subscription) => ({ subscription, taken: theirs.filter((event) => takes(subscription, event)) }))
        .filter(({ taken }) => taken.length > 0);
      await Promise.all(takers.map(({ subscription, taken }) => give(subscription, taken)));
    } catch (fault) {
      for (const { id } of theirs) failed.set(id, fault);
    }
  };
  const organizations = Map.groupBy(ordered, ({ organizationId }) => organizationId);
  await Promise.all([...organizations].map(([id, theirs]) => giveAll(id, theirs)));
  ports.hint(hinted);
  const count = Map.groupBy(waiting, ({ eventId }) => eventId);
  return events.map(({ id }) =>
    failed.has(id) ? rejected(failed.get(id)) : { status: 'fulfilled', value: count.get(id)?.length ?? 0 },
  );
};

/**
 * Takes committed events over: gives them to their subscriptions, then marks those whose deliveries all exist. How each went, in the
 * ids' order. An event whose mark is lost comes again, and repeats change nothing.
 */
export const publishEvents = async (ports: WebhookPorts, ids: readonly string[]): Promise<Outcome<void>[]> => {
  const wanted = [...new Set(ids)];
  const found = await ports.events.readAll(wanted);
  const outcomes = new Map<string, Outcome<void>>();
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

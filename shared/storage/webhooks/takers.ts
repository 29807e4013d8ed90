import type { Id } from '../../domain/core/ids.ts';
import type { EventType } from '../../domain/events/catalogue.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { isTakenBy } from '../../domain/webhooks/fan-out.ts';
import { KEYS } from '../access-patterns.ts';
import { gather } from '../client/gather.ts';
import type { Table } from '../client/table.ts';
import { subscriptionRows } from './subscriptions.ts';

/** How long a type of event that somebody took is taken for granted, in ms: at worst an event is stored that nobody takes any more. */
const TAKEN_FOR_MS = 10_000;
const MAX_SEEN = 10_000;
const seen = new WeakMap<Table, Map<string, number>>();

const seenIn = (table: Table): Map<string, number> => {
  const found = seen.get(table) ?? new Map<string, number>();
  seen.set(table, found);
  if (found.size >= MAX_SEEN) found.clear();
  return found;
};

const readTaker = subscriptionRows.pick('status', 'events', 'createdAt');
/** The subscriptions of an organization, in one query for all who ask at the same time: it begins after each of them asked. */
const subscriptionsIn = (table: Table) =>
  gather(async (organizations: readonly Id<'organization'>[]) => {
    const [organizationId] = organizations;
    if (organizationId === undefined) return [];
    const rows = await table.queryAll({ partition: KEYS.webhook(organizationId, '').pk, consistent: true });
    const subscriptions = rows.map(readTaker);
    return organizations.map(() => subscriptions);
  }, Number.POSITIVE_INFINITY);
const readers = new WeakMap<Table, ReturnType<typeof subscriptionsIn>>();
const readerOf = (table: Table) => {
  const found = readers.get(table) ?? subscriptionsIn(table);
  readers.set(table, found);
  return found;
};

const nameOf = (organizationId: Id<'organization'>, type: EventType): string => `${organizationId} ${type}`;

/**
 * Of events that an organization's change raises, those that a subscription takes; the others need no row, since none that is made later gets
 * them. Strongly consistent: one query of its subscriptions, which those who ask at the same
 * time share; none where each type was taken within the last seconds.
 */
export const takenEvents = async (
  table: Table,
  organizationId: Id<'organization'>,
  events: readonly DomainEvent[],
): Promise<readonly DomainEvent[]> => {
  const taken = seenIn(table);
  const isKnown = ({ type, createdAt }: DomainEvent) =>
    createdAt - (taken.get(nameOf(organizationId, type)) ?? Number.NEGATIVE_INFINITY) < TAKEN_FOR_MS;
  if (events.every(isKnown)) return events;
  const subscriptions = await readerOf(table)(organizationId, organizationId);
  const wanted = events.filter((event) => subscriptions.some((subscription) => isTakenBy(subscription, event)));
  for (const { type, createdAt } of wanted) taken.set(nameOf(organizationId, type), createdAt);
  return wanted;
};

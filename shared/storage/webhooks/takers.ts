import type { Id } from '../../domain/core/ids.ts';
import type { EventType } from '../../domain/events/catalogue.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { isTakenBy } from '../../domain/webhooks/fan-out.ts';
import { KEYS } from '../access-patterns.ts';
import { sharedRead } from '../client/shared-read.ts';
import type { Table } from '../client/table.ts';
import { subscriptionRows } from './subscriptions.ts';

/** How long a subscribed event type is cached, in ms: at worst an event is stored that has no subscribers any more. */
const TAKEN_FOR_MS = 10_000;
const MAX_SEEN = 10_000;
const seen = new WeakMap<Table, Map<string, number>>();

const seenIn = (table: Table): Map<string, number> => {
  const found = seen.get(table) ?? new Map<string, number>();
  seen.set(table, found);
  if (found.size >= MAX_SEEN) found.clear();
  return found;
};

const nameOf = (organizationId: Id<'organization'>, type: EventType): string => `${organizationId} ${type}`;
const readTaker = subscriptionRows.pick('status', 'events', 'createdAt');

/**
 * The events with subscribers, of those that an organization's change raises; the others need no row, since later subscriptions don't
 * receive them. Strongly consistent: one query of its subscriptions, shared by concurrent callers; none if each type had subscribers within
 * the last seconds.
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
  const { pk: partition } = KEYS.webhook(organizationId, '');
  const rows = await sharedRead(table, partition, () => table.queryAll({ partition, consistent: true }));
  const subscriptions = rows.map(readTaker);
  const wanted = events.filter((event) => subscriptions.some((subscription) => isTakenBy(subscription, event)));
  for (const { type, createdAt } of wanted) taken.set(nameOf(organizationId, type), createdAt);
  return wanted;
};

import type { Id } from '../../domain/core/ids.ts';
import type { EventType } from '../../domain/events/catalogue.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { isTakenBy } from '../../domain/webhooks/fan-out.ts';
import { KEYS } from '../access-patterns.ts';
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

const nameOf = (organizationId: Id<'organization'>, type: EventType): string => `${organizationId} ${type}`;
const readTaker = subscriptionRows.pick('status', 'events', 'createdAt');

/**
 * Of events that an organization's change raises, those that a subscription takes; the others need no row, since none that is made later gets
 * them. Strongly consistent: one query of its subscriptions, none where each type was taken within the last seconds.
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
  const rows = await table.queryAll({ partition: KEYS.webhook(organizationId, '').pk, consistent: true });
  const subscriptions = rows.map(readTaker);
  const wanted = events.filter((event) => subscriptions.some((subscription) => isTakenBy(subscription, event)));
  for (const { type, createdAt } of wanted) taken.set(nameOf(organizationId, type), createdAt);
  return wanted;
};

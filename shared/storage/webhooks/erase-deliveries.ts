import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { StoredMessage } from '../../domain/message/inbound-message.ts';
import { messageEventId } from '../../domain/tracking/events.ts';
import { eventTypesOf } from '../../domain/tracking/timeline.ts';
import { deliveryIdOf } from '../../domain/webhooks/envelope.ts';
import { KEYS } from '../access-patterns.ts';
import { EXISTS } from '../client/conditions.ts';
import type { Table } from '../client/table.ts';
import { webhookStore } from './subscriptions.ts';

/** The part of an event's data that is kept. */
type Kept = Pick<DomainEvent, 'data'>['data'];
const keptOf = ({ id, channel, direction }: StoredMessage): Kept => ({ id, channel, direction, erased: true });

/**
 * Removes the person from the events of messages, and from the bodies of earlier deliveries. Two calls per message and one per delivery, in
 * parallel. Idempotent.
 */
export const eraseDeliveries = async (table: Table, messages: readonly StoredMessage[]): Promise<void> => {
  const [first] = messages;
  if (!first) return;
  const events = messages.flatMap((message) =>
    eventTypesOf(message).map((type) => ({ id: messageEventId(message.id, type), data: keptOf(message) })),
  );
  await eraseEvents(table, first.organizationId, events);
};

/** Removes the person from events, of which `data` is kept, and from the bodies of their deliveries. Idempotent. */
export const eraseEvents = async (
  table: Table,
  organizationId: Id<'organization'>,
  events: readonly { readonly id: Id<'event'>; readonly data: Kept }[],
): Promise<void> => {
  const eventKeys = events.map(({ id }) => KEYS.event(id));
  const stored = await table.getMany(eventKeys, { consistent: true, only: ['pk', 'sk'] });
  const raised = events.filter((_, at) => stored[at] !== undefined);
  await Promise.all(raised.map(({ id, data }) => table.write({ update: KEYS.event(id), set: { data }, when: EXISTS })));
  const subscriptions = raised.length > 0 ? await webhookStore(table).list(organizationId) : [];
  const deliveries = subscriptions.flatMap(({ id }) =>
    raised.map((event) => KEYS.delivery(deliveryIdOf(id, event.id))),
  );
  await Promise.all(deliveries.map(({ pk }) => eraseExchanges(table, pk)));
};

const ATTEMPTS = { text: 'begins_with(#sk, :attempts)', values: { attempts: 'ATT#' } };

/** Deletes the requests and responses of a delivery's attempts; the attempts themselves stay. */
const eraseExchanges = async (table: Table, partition: string): Promise<void> => {
  const rows = await table.queryAll({ partition, sort: ATTEMPTS, only: ['pk', 'sk'], consistent: true });
  await Promise.all(rows.map(({ pk, sk }) => table.write({ update: { pk, sk }, remove: ['exchange'], when: EXISTS })));
};

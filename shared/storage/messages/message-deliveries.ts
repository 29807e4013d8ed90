import type { StoredMessage } from '../../domain/message/inbound-message.ts';
import { messageEventId } from '../../domain/tracking/events.ts';
import { eventTypesOf, type MessageDelivery } from '../../domain/tracking/timeline.ts';
import { deliveryIdOf } from '../../domain/webhooks/envelope.ts';
import { KEYS } from '../access-patterns.ts';
import { fullRows } from '../client/pages.ts';
import type { Table } from '../client/table.ts';
import { readDelivery } from '../webhooks/delivery-rows.ts';
import { webhookStore } from '../webhooks/subscriptions.ts';

/**
 * The deliveries of a message's events. No index lists them: an event's id is derived from its message and type, and a delivery's from its
 * subscription and event, so that the organization's subscriptions give all keys. A timeline thus costs a message no extra write, and one
 * query where there are no webhooks.
 */
export const deliveriesOfMessage = async (
  table: Table,
  message: StoredMessage,
): Promise<readonly MessageDelivery[]> => {
  const subscriptions = await webhookStore(table).list(message.organizationId);
  if (subscriptions.length === 0) return [];
  const events = eventTypesOf(message).map((type) => messageEventId(message.id, type));
  const keys = subscriptions.flatMap(({ id }) => events.map((event) => KEYS.delivery(deliveryIdOf(id, event))));
  return (await fullRows(table, keys)).map(readDelivery);
};

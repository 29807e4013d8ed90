import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { Delivery } from '../../shared/domain/webhooks/subscription.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { deliveryStore } from '../../shared/storage/webhooks/deliveries.ts';
import { webhookStore } from '../../shared/storage/webhooks/subscriptions.ts';
import { operatorAct } from './audit.ts';
import { pausedSubscription } from './takers.ts';

/** Stores a subscription, without validating its address. */
export const makeWebhook = async (table: Table, organizationId: Id<'organization'>): Promise<Id<'webhook'>> => {
  const at = Date.now();
  const subscription = pausedSubscription(organizationId, { env: 'test', events: ['wallet.depleted'], createdAt: at });
  await webhookStore(table).create(subscription, operatorAct(organizationId));
  return subscription.id;
};

/** Stores a delivered delivery, which no consumer changes any more. */
export const makeDelivery = async (
  table: Table,
  organizationId: Id<'organization'>,
  webhookId: Id<'webhook'>,
): Promise<string> => {
  const store = deliveryStore(table);
  const now = Date.now();
  const [id, eventId] = [newId('delivery'), newId('event')];
  const type = 'wallet.depleted';
  const counts = { sequence: 1, attempts: 0, attemptCount: 0 };
  const times = { nextAttemptAt: now, createdAt: now };
  const delivery: Delivery = { id, webhookId, organizationId, eventId, type, status: 'pending', ...counts, ...times };
  await store.add(delivery);
  const claimed = await store.claim(delivery, now, now + 1_000);
  if (!claimed) throw new Error('the delivery was not claimed');
  const attempt = { at: now, status: 200, durationMs: 1 };
  await store.record(claimed, { attempt, status: 'delivered' });
  return id;
};

import { expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { newEvent } from '../../shared/domain/events/event.ts';
import { queueOf, type WorkItem } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Key } from '../../shared/storage/client/row.ts';
import { eventWrite } from '../../shared/storage/due-work/outbox.ts';
import { publishables } from '../../shared/storage/due-work/publishable.ts';
import { fallbackWrite } from '../../shared/storage/messages/fallbacks.ts';
import { receiptStore } from '../../shared/storage/messages/receipts.ts';
import { deliveryStore } from '../../shared/storage/webhooks/deliveries.ts';
import { queuedMessage } from '../support/ids.ts';
import { use } from '../support/use.ts';
import { PLAIN, startWorld } from '../support/world.ts';

const { table, now } = await use(startWorld('live'));
const organizationId = newId('organization');

/** Whose a due row is as the dispatcher hands it over, and into which queue. */
const handedOver = async (kind: WorkItem['kind'], { pk, sk }: Key) => {
  const [item] = await publishables(table, { kind, shard: 0 }, [{ pk, sk, dueAt: now }]);
  return item && [item.owner, queueOf(item)];
};

const storeFallback = async (id: Id<'message'>) => {
  const fallback = { id, organizationId, env: 'live', steps: [], next: 0, current: id, waitUntil: now } as const;
  await table.transact([await fallbackWrite(PLAIN, { ...fallback, state: 'waiting', priority: 'critical' }, now)]);
};
const storeDelivery = async () => {
  const id = newId('delivery');
  const counts = { status: 'pending', attempts: 0, attemptCount: 0 } as const;
  const of = { webhookId: newId('webhook'), organizationId, eventId: newId('event'), type: 'sms.delivered' } as const;
  await deliveryStore(table).add({ id, ...of, ...counts, nextAttemptAt: now, createdAt: now, priority: 'critical' });
  return id;
};

test('work of a critical message is found again for its organization and its lane, when its queue message was lost', async () => {
  const message = { ...queuedMessage(newId('message')), organizationId, route: 'otp' };
  const event = newEvent({ type: 'sms.delivered', organizationId, env: 'live', createdAt: now, data: {} });
  await table.write(eventWrite({ ...event, priority: 'critical' }));
  expect(await handedOver('publish_event', KEYS.event(event.id))).toEqual([organizationId, 'critical']);
  const receipt = { id: 'p', type: 'api_message', to: '+5511987654321', status: 'DELIVERED' } as const;
  const report = { kind: 'receipt', status: 'delivered', providerMessageId: 'p', receipt } as const;
  const { fingerprint } = await receiptStore(table).addPendingReceipt(message, report, now);
  expect(await handedOver('apply_receipt', KEYS.receipt(message.id, fingerprint))).toEqual([
    organizationId,
    'critical',
  ]);
  await storeFallback(message.id);
  expect(await handedOver('fallback', KEYS.fallback(message.id))).toEqual([organizationId, 'critical']);
  const delivery = KEYS.delivery(await storeDelivery());
  expect(await handedOver('deliver_webhook', delivery)).toEqual([organizationId, 'critical-webhook']);
});

test('rows that have their organization only in their key, and rows of no organization, are handed over as such', async () => {
  const [wallet, counts] = [KEYS.wallet(organizationId), KEYS.destinationCounts(organizationId, '+44', 1)];
  const link = KEYS.linkRequest(newId('request'));
  await table.putMany([wallet, counts, link]);
  expect(await handedOver('check_lanes', wallet)).toEqual([organizationId, 'outcome']);
  expect(await handedOver('judge_destination', counts)).toEqual([organizationId, 'outcome']);
  expect(await handedOver('mail_sign_in', link)).toEqual(['stage', 'send']);
});

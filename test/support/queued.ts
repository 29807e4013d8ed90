import type { SmsSendPorts } from '../../shared/domain/api/send-sms.ts';
import { planSms } from '../../shared/domain/channels/sms/plan.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { NO_VOLUME } from '../../shared/domain/pricing/volume.ts';
import { requestKey } from '../../shared/domain/sending/idempotency.ts';
import { pricePlan } from '../../shared/domain/sending/plan.ts';
import { reserveMessage } from '../../shared/domain/sending/reserve.ts';
import { messageStore } from '../../shared/storage/messages/message-store.ts';
import { accepted } from './accepted.ts';
import { aMessage, type Messaging, type Tenant } from './api.ts';
import { PLAIN } from './world.ts';

let keys = 0;

/** Queues an SMS in the tenant's sandbox until `at` (ms), as the operations that queue messages do. */
export const queueSms = async (messaging: Messaging, { id }: Tenant, at: number): Promise<MessageRecord> => {
  const vault = await messaging.vault('test', 'recipients');
  const ports = {
    clock: Date.now,
    messageStore: messageStore(messaging.tables.test, () => {}, PLAIN),
    prices: async () => DEFAULT_PRICES,
    debitLane: async () => ({ lane: 0 }),
    volume: async () => NO_VOLUME,
    destinations: async () => undefined,
    heldUntil: async () => undefined,
    perSecond: async () => undefined,
    defaultSender: async () => undefined,
    recipientHashOf: async (organizationId, kind, to) => vault.blindIndex(organizationId, kind, to),
    noteDepleted: async () => {},
    publicUrl: messaging.url,
  } as Partial<SmsSendPorts> as SmsSendPorts;
  const tenant = { organizationId: id, env: 'test' } as const;
  const key = requestKey(`queued-${keys++}`, 'sms.send', aMessage);
  const { plan } = accepted(await pricePlan(ports, tenant, aMessage, await planSms(ports, tenant, aMessage)));
  return accepted(await reserveMessage(ports, tenant, { plan, key, initial: { status: 'queued', at } })).message;
};

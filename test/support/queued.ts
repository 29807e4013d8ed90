import type { SmsSendPorts } from '../../shared/domain/api/send-sms.ts';
import { planSms } from '../../shared/domain/channels/sms/plan.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { requestKey } from '../../shared/domain/sending/idempotency.ts';
import { pricePlan } from '../../shared/domain/sending/plan.ts';
import { reserveMessage } from '../../shared/domain/sending/reserve.ts';
import { messageStore } from '../../shared/storage/messages/message-store.ts';
import { aMessage, type Messaging, type Tenant } from './api.ts';

const PLAIN = {
  seal: async (_: string, __: string, text: string) => text,
  open: async (_: string, __: string, sealed: string) => sealed,
};
let keys = 0;

/** An SMS of the tenant's sandbox that waits in its queue until `at` (ms), as the operations that queue messages leave it. */
export const queueSms = async (messaging: Messaging, { id }: Tenant, at: number): Promise<MessageRecord> => {
  const vault = await messaging.vault('test');
  const ports = {
    clock: Date.now,
    messageStore: messageStore(messaging.tables.test, () => {}, PLAIN),
    prices: async () => DEFAULT_PRICES,
    volume: async () => 0,
    perSecond: async () => undefined,
    recipientHashOf: async (organizationId, kind, to) => vault.blindIndex(organizationId, kind, to),
    noteDepleted: async () => {},
    publicUrl: messaging.url,
  } as Partial<SmsSendPorts> as SmsSendPorts;
  const tenant = { organizationId: id, env: 'test' } as const;
  const key = requestKey(`queued-${keys++}`, 'sms.send', aMessage);
  const made = await pricePlan(ports, aMessage, await planSms(ports, tenant, aMessage));
  const sent = isRefusal(made)
    ? made
    : await reserveMessage(ports, tenant, { plan: made.plan, key, initial: { status: 'queued', at } });
  if (isRefusal(sent)) throw new Error(sent.details.detail);
  return sent.message;
};

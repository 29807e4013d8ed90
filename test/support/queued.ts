import { isRefusal } from '../../shared/domain/errors.ts';
import type { Id } from '../../shared/domain/ids.ts';
import type { MessageRecord } from '../../shared/domain/messages/message.ts';
import { reserveMessage } from '../../shared/domain/messages/send.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { planSms, type SmsPorts } from '../../shared/domain/sms/send.ts';
import { journal } from '../../shared/storage/journal.ts';
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
    journal: journal(messaging.tables.test, () => {}, PLAIN),
    prices: async () => DEFAULT_PRICES,
    volume: async () => 0,
    perSecond: async () => undefined,
    hashTo: async (organizationId, kind, to) => vault.blindIndex(organizationId, kind, to),
    noteDepleted: async () => {},
    publicUrl: messaging.url,
  } as Partial<SmsPorts> as SmsPorts;
  const tenant = { organizationId: id as Id<'organization'>, env: 'test' } as const;
  const key = `queued-${keys++}`;
  const made = await planSms(ports, tenant, aMessage, key, key);
  const sent = isRefusal(made) ? made : await reserveMessage(ports, tenant, made.plan, { status: 'queued', at });
  if (isRefusal(sent)) throw new Error(sent.details.detail);
  return sent.message;
};

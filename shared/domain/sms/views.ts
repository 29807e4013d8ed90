import type { MessageRecord } from '../messages/message.ts';
import { maskPhone } from '../phone.ts';
import { isoTime } from '../time.ts';

const times = (message: MessageRecord) => ({
  createdAt: isoTime(message.createdAt),
  ...(message.sentAt === undefined ? {} : { sentAt: isoTime(message.sentAt) }),
  ...(message.deliveredAt === undefined ? {} : { deliveredAt: isoTime(message.deliveredAt) }),
  ...(message.failedAt === undefined ? {} : { failedAt: isoTime(message.failedAt) }),
});

const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const shown = (phone: string, unmasked: boolean) => (unmasked ? phone : maskPhone(phone));

/** interface 2.1: the message as it stands. Recipients are masked without pii:full. */
export const smsView = (message: MessageRecord, unmasked: boolean) => ({
  id: message.id,
  status: message.status,
  env: message.env,
  route: message.route,
  to: shown(message.to, unmasked),
  provider: message.provider,
  encoding: message.encoding,
  length: message.length,
  segments: message.segments,
  ...times(message),
  ...given({ reason: message.reason, contactId: message.contactId, campaignId: message.campaignId }),
  ...(message.metadata ? { metadata: { ...message.metadata } } : {}),
  ...(message.providerReceipt
    ? { providerReceipt: { ...message.providerReceipt, to: shown(message.providerReceipt.to, unmasked) } }
    : {}),
});

/** interface 2.1, create response: the message as its provider accepted it, the same on every replay. */
export const sentSmsView = (message: MessageRecord, unmasked: boolean, replayed: boolean) => {
  const { deliveredAt: _, failedAt: __, reason: ___, providerReceipt: ____, ...asAccepted } = message;
  return { ...smsView({ ...asAccepted, status: 'sent' }, unmasked), billing: { coins: message.coins }, replayed };
};

import type { MessageOf } from '../messages/message.ts';
import type { ProviderReceipt } from '../messages/provider.ts';
import { maskPhone } from '../phone.ts';
import { isoTime } from '../time.ts';
import type { SMS_REASONS, SMS_STATUSES, SmsProviderName, SmsRoute } from './provider.ts';

type Sms = MessageOf<'sms'>;

/** What the wire calls them: the pipeline's words are open, an SMS's are these (interface, 2.1). */
const wire = (message: Sms) => ({
  status: message.status as (typeof SMS_STATUSES)[number],
  route: message.route as SmsRoute,
  provider: message.provider as SmsProviderName,
  reason: message.reason as (typeof SMS_REASONS)[number] | undefined,
});

const times = (message: Sms) => ({
  createdAt: isoTime(message.createdAt),
  ...(message.sentAt === undefined ? {} : { sentAt: isoTime(message.sentAt) }),
  ...(message.deliveredAt === undefined ? {} : { deliveredAt: isoTime(message.deliveredAt) }),
  ...(message.failedAt === undefined ? {} : { failedAt: isoTime(message.failedAt) }),
});

const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const shown = (phone: string, unmasked: boolean) => (unmasked ? phone : maskPhone(phone));

/** interface 2.1, providerReceipt: a provider that says no more than a status has that for its description. */
const receiptView = (receipt: ProviderReceipt, unmasked: boolean) => ({
  ...receipt,
  to: shown(receipt.to, unmasked),
  statusDescription: receipt.statusDescription ?? receipt.status,
});

/** interface 2.1: the message as it stands. Recipients are masked without pii:full. */
export const smsView = (message: Sms, unmasked: boolean) => ({
  id: message.id,
  status: wire(message).status,
  env: message.env,
  route: wire(message).route,
  to: shown(message.to, unmasked),
  provider: wire(message).provider,
  encoding: message.content.encoding,
  length: message.content.length,
  segments: message.content.segments,
  ...times(message),
  ...given({ reason: wire(message).reason, contactId: message.contactId, campaignId: message.campaignId }),
  ...(message.metadata ? { metadata: { ...message.metadata } } : {}),
  ...(message.providerReceipt ? { providerReceipt: receiptView(message.providerReceipt, unmasked) } : {}),
});

/** interface 2.1, create response: the message as its provider accepted it, the same on every replay. */
export const sentSmsView = (message: Sms, unmasked: boolean, replayed: boolean) => {
  const { deliveredAt: _, failedAt: __, reason: ___, providerReceipt: ____, ...asAccepted } = message;
  return { ...smsView({ ...asAccepted, status: 'sent' }, unmasked), billing: { coins: message.coins }, replayed };
};

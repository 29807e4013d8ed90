import type { MessageOf } from '../messages/message.ts';
import type { ProviderReceipt } from '../messages/provider.ts';
import { asAccepted, given, momentsOf, namedReason, tagsOf } from '../messages/view-parts.ts';
import { maskPhone } from '../phone.ts';
import { isoTime } from '../time.ts';
import { SMS_REASONS, type SMS_STATUSES, type SmsProviderName, type SmsRoute } from './provider.ts';

type Sms = MessageOf<'sms'>;

/** What the wire calls them: the pipeline's words are open, an SMS's are these (interface, 2.1). */
const wire = (message: Sms) => ({
  status: message.status as (typeof SMS_STATUSES)[number],
  route: message.route as SmsRoute,
  provider: message.provider as SmsProviderName,
  reason: namedReason(SMS_REASONS, message.reason),
});

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
  createdAt: isoTime(message.createdAt),
  ...momentsOf(message, 'sentAt', 'deliveredAt', 'failedAt'),
  ...given({ reason: wire(message).reason }),
  ...tagsOf(message),
  ...(message.providerReceipt ? { providerReceipt: receiptView(message.providerReceipt, unmasked) } : {}),
});

/** interface 2.1, create response: the message as its provider accepted it, the same on every replay. */
export const sentSmsView = (message: Sms, unmasked: boolean, replayed: boolean) => ({
  ...smsView(asAccepted(message), unmasked),
  billing: { coins: message.coins },
  replayed,
});

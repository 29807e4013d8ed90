import { definedFields } from '../../core/patch.ts';
import { maskPhone } from '../../core/phone.ts';
import { isoTime } from '../../core/time.ts';
import type { MessageOf } from '../../message/message.ts';
import type { ProviderReceipt } from '../../message/provider-port.ts';
import { asAccepted, tagsOf, timestampsOf, wireReason } from '../../message/view-parts.ts';
import { SMS_REASONS, type SMS_STATUSES, type SmsProviderName, type SmsRoute } from './content.ts';

type Sms = MessageOf<'sms'>;

/** Narrows the pipeline's open types to the API's values of an SMS (docs/spec/sms.md#sms-statuses). */
const wire = (message: Sms) => ({
  status: message.status as (typeof SMS_STATUSES)[number],
  route: message.route as SmsRoute,
  provider: message.provider as SmsProviderName,
  reason: wireReason(SMS_REASONS, message.reason),
});

const shown = (phone: string, unmasked: boolean) => (unmasked ? phone : maskPhone(phone));

/** The provider's receipt; without a description the status is repeated as one (docs/spec/sms.md#provider-receipt). */
const receiptView = (receipt: ProviderReceipt, unmasked: boolean) => ({
  ...receipt,
  to: shown(receipt.to, unmasked),
  statusDescription: receipt.statusDescription ?? receipt.status,
});

/** An SMS as the API returns it (docs/spec/sms.md#sms-shape). Recipients are masked without pii:full. */
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
  ...timestampsOf(message, 'sentAt', 'deliveredAt', 'failedAt'),
  ...definedFields({ reason: wire(message).reason }),
  ...tagsOf(message),
  ...(message.providerReceipt ? { providerReceipt: receiptView(message.providerReceipt, unmasked) } : {}),
});

/** The send's response: the message as its provider accepted it, the same on every replay (docs/spec/sends.md#replay). */
export const sentSmsView = (message: Sms, unmasked: boolean, replayed: boolean) => ({
  ...smsView(asAccepted(message), unmasked),
  billing: { coins: message.coins },
  replayed,
});

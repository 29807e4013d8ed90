import { definedFields } from '../../core/patch.ts';
import { maskEmail } from '../../core/phone.ts';
import { isoTime } from '../../core/time.ts';
import type { MessageOf, MessageStatus } from '../../message/message.ts';
import { shownTexts } from '../../message/shown-texts.ts';
import { statusesShownAs, tagsOf, timestampsOf, wireReason } from '../../message/view-parts.ts';
import { EMAIL_REASONS, type EMAIL_STATUSES, type EmailReason } from './content.ts';

type Email = MessageOf<'email'>;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];

/** API status of each pipeline status: a message being sent is still queued to its caller (docs/spec/email.md#e-mail-statuses). */
const WIRE_STATUS: Readonly<Record<MessageStatus, EmailStatus>> = {
  queued: 'queued',
  sending: 'queued',
  sent: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  failed: 'failed',
  undelivered: 'failed',
  bounced: 'bounced',
  complained: 'complained',
};
/** Pipeline reasons that the API has no name for. */
const WIRE_REASON: Readonly<Record<string, EmailReason>> = {
  indeterminate: 'provider_error',
  abandoned: 'provider_error',
};

export const statesOfEmail = (status: EmailStatus) => statusesShownAs(WIRE_STATUS, status);

const reasonOf = ({ reason = '' }: Email) => WIRE_REASON[reason] ?? wireReason(EMAIL_REASONS, reason);

const shown = (address: string, unmasked: boolean) => (unmasked ? address : maskEmail(address));

const accepted = (message: Email, unmasked: boolean) => ({
  id: message.id,
  status: WIRE_STATUS[message.status],
  env: message.env,
  to: shown(message.to, unmasked),
  from: message.content.from,
  subject: shownTexts(message, message.content.subject, unmasked),
  bodyBytes: message.content.bodyBytes,
  ...tagsOf(message),
  ...timestampsOf(message, 'sentAt'),
  createdAt: isoTime(message.createdAt),
});

/** An e-mail as the API returns it, without its body (docs/spec/email.md#e-mail-shape). The recipient is masked without pii:full. */
export const emailView = (message: Email, unmasked: boolean) => ({
  ...accepted(message, unmasked),
  organizationId: message.organizationId,
  ...definedFields({ reason: reasonOf(message) }),
  ...timestampsOf(message, 'deliveredAt', 'failedAt'),
  updatedAt: isoTime(message.updatedAt),
});

/** The send's response: the e-mail as its provider accepted it, the same on every replay (docs/spec/sends.md#replay). */
export const sentEmailView = (message: Email, unmasked: boolean, replayed: boolean) => ({
  ...accepted({ ...message, status: 'sent' }, unmasked),
  billing: { coins: message.coins },
  replayed,
});

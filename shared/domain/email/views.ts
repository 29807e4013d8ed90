import type { MessageOf, MessageStatus } from '../messages/message.ts';
import { given, momentsOf, namedReason, statesCalled, tagsOf } from '../messages/view-parts.ts';
import { maskEmail } from '../phone.ts';
import { isoTime } from '../time.ts';
import { EMAIL_REASONS, type EMAIL_STATUSES, type EmailReason } from './content.ts';

type Email = MessageOf<'email'>;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];

/** What the wire calls each state of the pipeline: a message under way is still queued to its caller (interface, 2.6). */
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
/** Reasons of the pipeline that the wire has no name for. */
const WIRE_REASON: Readonly<Record<string, EmailReason>> = {
  indeterminate: 'provider_error',
  abandoned: 'provider_error',
};

export const statesOfEmail = (status: EmailStatus) => statesCalled(WIRE_STATUS, status);

const reasonOf = ({ reason = '' }: Email) => WIRE_REASON[reason] ?? namedReason(EMAIL_REASONS, reason);

const shown = (address: string, unmasked: boolean) => (unmasked ? address : maskEmail(address));

const accepted = (message: Email, unmasked: boolean) => ({
  id: message.id,
  status: WIRE_STATUS[message.status],
  env: message.env,
  to: shown(message.to, unmasked),
  from: message.content.from,
  subject: message.content.subject,
  bodyBytes: message.content.bodyBytes,
  ...tagsOf(message),
  ...momentsOf(message, 'sentAt'),
  createdAt: isoTime(message.createdAt),
});

/** interface 2.6: the e-mail as it stands; its body is never stored or returned. The recipient is masked without pii:full. */
export const emailView = (message: Email, unmasked: boolean) => ({
  ...accepted(message, unmasked),
  organizationId: message.organizationId,
  ...given({ reason: reasonOf(message) }),
  ...momentsOf(message, 'deliveredAt', 'failedAt'),
  updatedAt: isoTime(message.updatedAt),
});

/** interface 2.6, create response: the e-mail as its provider accepted it, the same on every replay. */
export const sentEmailView = (message: Email, unmasked: boolean, replayed: boolean) => ({
  ...accepted({ ...message, status: 'sent' }, unmasked),
  billing: { coins: message.coins },
  replayed,
});

import type { MessageOf, MessageStatus } from '../messages/message.ts';
import { maskEmail } from '../phone.ts';
import { isoTime } from '../time.ts';
import type { EMAIL_STATUSES, EmailReason } from './content.ts';

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

/** The states of the pipeline that the wire calls by this name: what a list that is filtered by it looks for. */
export const statesOfEmail = (status: EmailStatus): MessageStatus[] =>
  (Object.keys(WIRE_STATUS) as MessageStatus[]).filter((state) => WIRE_STATUS[state] === status);

const shown = (address: string, unmasked: boolean) => (unmasked ? address : maskEmail(address));

const accepted = (message: Email, unmasked: boolean) => ({
  id: message.id,
  status: WIRE_STATUS[message.status],
  env: message.env,
  to: shown(message.to, unmasked),
  from: message.content.from,
  subject: message.content.subject,
  bodyBytes: message.content.bodyBytes,
  ...(message.contactId ? { contactId: message.contactId } : {}),
  ...(message.campaignId === undefined ? {} : { campaignId: message.campaignId }),
  ...(message.metadata ? { metadata: { ...message.metadata } } : {}),
  ...(message.sentAt === undefined ? {} : { sentAt: isoTime(message.sentAt) }),
  createdAt: isoTime(message.createdAt),
});

/** interface 2.6: the e-mail as it stands; its body is never stored or returned. The recipient is masked without pii:full. */
export const emailView = (message: Email, unmasked: boolean) => ({
  ...accepted(message, unmasked),
  organizationId: message.organizationId,
  ...(message.reason === undefined ? {} : { reason: WIRE_REASON[message.reason] ?? (message.reason as EmailReason) }),
  ...(message.deliveredAt === undefined ? {} : { deliveredAt: isoTime(message.deliveredAt) }),
  ...(message.failedAt === undefined ? {} : { failedAt: isoTime(message.failedAt) }),
  updatedAt: isoTime(message.updatedAt),
});

/** interface 2.6, create response: the e-mail as its provider accepted it, the same on every replay. */
export const sentEmailView = (message: Email, unmasked: boolean, replayed: boolean) => ({
  ...accepted({ ...message, status: 'sent' }, unmasked),
  billing: { coins: message.coins },
  replayed,
});

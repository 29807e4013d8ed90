import type { InboundMessage, StoredMessage } from '../inbound/message.ts';
import { isoTime } from '../time.ts';
import { rulesOf } from './channels.ts';
import type { MessageRecord, MessageStatus } from './message.ts';
import { given, momentsOf, tagsOf } from './view-parts.ts';

/** Where a message stands for all channels alike (interface 2.10). */
export const UNIFIED_STATUSES = ['queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'archived'] as const;
export type UnifiedStatus = (typeof UNIFIED_STATUSES)[number];

/** What each channel's own status is called among all: who complains has received, and what came back has failed. */
export const UNIFIED_OF: Readonly<Record<MessageStatus, Exclude<UnifiedStatus, 'archived'>>> = {
  queued: 'queued',
  sending: 'sending',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
  undelivered: 'failed',
  bounced: 'failed',
  complained: 'delivered',
};

export const unifiedStatus = ({ status, archivedAt }: MessageRecord): UnifiedStatus =>
  archivedAt === undefined ? UNIFIED_OF[status] : 'archived';

/** What a message says, in the form of its type; an e-mail's body is not kept. */
const payloadOf = (message: MessageRecord): Readonly<Record<string, unknown>> => {
  switch (message.channel) {
    case 'sms':
      return { text: message.content.text };
    case 'rcs': {
      const { text, card, fallback } = message.content;
      return {
        ...(text === undefined ? {} : { text }),
        ...(card ? { card } : {}),
        ...(fallback ? { fallback: { text: fallback.text } } : {}),
      };
    }
    case 'email':
      return { email: { subject: message.content.subject } };
    default:
      return message.content.payload;
  }
};

/** Why it failed last: in the provider's words, else as its channel's reason. */
const lastErrorOf = ({ lastError, reason }: MessageRecord, status: UnifiedStatus) =>
  lastError ?? (status === 'failed' ? reason : undefined);

/** interface 2.10: a message that came in. Who sent it, and what it came to, are masked without pii:full. */
const inboundView = (message: InboundMessage, unmasked: boolean) => {
  const { channel, contactId, numberId, instagramAccountId, inReplyTo, origemDoLink } = message;
  const shown = unmasked ? (value: string) => value : rulesOf(channel).mask;
  return {
    id: message.id,
    organizationId: message.organizationId,
    channel,
    to: shown(message.to),
    from: shown(message.from),
    type: message.type,
    direction: message.direction,
    priority: 'normal' as const,
    status: message.status,
    force: false,
    payload: { ...message.payload },
    attempts: 0,
    platformMessageId: message.providerMessageId,
    sentAt: isoTime(message.sentAt),
    deliveredAt: isoTime(message.createdAt),
    createdAt: isoTime(message.createdAt),
    updatedAt: isoTime(message.createdAt),
    ...given({ numberId, instagramAccountId, contactId, inReplyTo, origemDoLink: origemDoLink && { ...origemDoLink } }),
  };
};

/** interface 2.10: a message of either direction as it stands. Whom it goes to or came from is masked without pii:full. */
export const storedView = (message: StoredMessage, unmasked: boolean) =>
  message.direction === 'inbound' ? inboundView(message, unmasked) : messageView(message, unmasked);

/** interface 2.10: a message of any channel as it stands. The recipient is masked without pii:full. */
export const messageView = (message: MessageRecord, unmasked: boolean) => {
  const status = unifiedStatus(message);
  const { templateId, batchId, numberId, instagramAccountId, sentByAccountId } = message;
  return {
    id: message.id,
    organizationId: message.organizationId,
    channel: message.channel,
    to: unmasked ? message.to : rulesOf(message.channel).mask(message.to),
    type: message.type,
    direction: message.direction,
    priority: message.priority,
    status,
    force: message.force ?? false,
    payload: { ...payloadOf(message) },
    attempts: message.attempts,
    createdAt: isoTime(message.createdAt),
    updatedAt: isoTime(message.updatedAt),
    ...tagsOf(message),
    ...given({ numberId, instagramAccountId, templateId, batchId, sentByAccountId }),
    ...given({
      templateVars: message.templateVars && [...message.templateVars],
      reprocessed: message.replacedBy === undefined ? undefined : true,
      replaces: message.replaces,
      replacedBy: message.replacedBy,
      reason: message.reason,
      lastError: lastErrorOf(message, status),
      originalError: message.originalError,
      platformMessageId: message.providerMessageId,
    }),
    ...momentsOf(message, 'scheduledAt', 'sentAt', 'deliveredAt', 'readAt', 'failedAt', 'archivedAt'),
  };
};

/** A message as it was when it was queued: what a create answers, and every replay of it. */
const asQueued = (message: MessageRecord): MessageRecord =>
  ({
    ...message,
    status: 'queued',
    attempts: 0,
    updatedAt: message.createdAt,
    ...Object.fromEntries(
      [
        'reason',
        'lastError',
        'originalError',
        'force',
        'replacedBy',
        'archivedAt',
        'providerMessageId',
        'sentAt',
        'deliveredAt',
        'readAt',
        'failedAt',
      ].map((name) => [name, undefined]),
    ),
  }) as MessageRecord;

/** The answer of a create or a resend: the message as it was queued, its price, and whether an earlier call made it. */
export const queuedMessageView = (message: MessageRecord, unmasked: boolean, replayed: boolean) => ({
  ...messageView(asQueued(message), unmasked),
  billing: { coins: message.coins },
  replayed,
});

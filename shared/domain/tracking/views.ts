import { channelOf } from '../channels/registry.ts';
import { isId } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { InboundMessage, StoredMessage } from '../message/inbound-message.ts';
import type { MessageRecord, MessageStatus } from '../message/message.ts';
import { shownTexts } from '../message/shown-texts.ts';
import { tagsOf, timestampsOf } from '../message/view-parts.ts';

/** Statuses of the common message (docs/spec/messages.md#unified-statuses). */
export const UNIFIED_STATUSES = ['queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'archived'] as const;
export type UnifiedStatus = (typeof UNIFIED_STATUSES)[number];

/** Maps channel statuses to unified ones: a complaint proves delivery, a bounce is a failure. */
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

/** The last error: the provider's text, else the channel's reason. */
const lastErrorOf = ({ lastError, reason }: MessageRecord, status: UnifiedStatus) =>
  lastError ?? (status === 'failed' ? reason : undefined);

/** The id of the saved template; undefined for a name without a saved template. */
const keptTemplateId = ({ templateId }: MessageRecord): string | undefined =>
  templateId !== undefined && (isId('template', templateId) || isId('emailTemplate', templateId))
    ? templateId
    : undefined;

/** An inbound message on the wire (docs/spec/messages.md#message-shape). Sender and receiving address are masked without pii:full. */
const inboundView = (message: InboundMessage, unmasked: boolean) => {
  const { channel, contactId, numberId, instagramAccountId, inReplyTo, origemDoLink } = message;
  const shown = unmasked ? (value: string) => value : channelOf(channel).mask;
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
    ...definedFields({
      numberId,
      instagramAccountId,
      contactId,
      inReplyTo,
      origemDoLink: origemDoLink && { ...origemDoLink },
    }),
  };
};

/** A message of either direction on the wire. Addresses are masked without pii:full. */
export const storedView = (message: StoredMessage, unmasked: boolean) =>
  message.direction === 'inbound' ? inboundView(message, unmasked) : messageView(message, unmasked);

/** An outbound message on the wire (docs/spec/messages.md#message-shape). The recipient is masked without pii:full. */
export const messageView = (message: MessageRecord, unmasked: boolean) => {
  const status = unifiedStatus(message);
  const { batchId, numberId, instagramAccountId, sentByAccountId, sentByName, mediaStorage } = message;
  return {
    id: message.id,
    organizationId: message.organizationId,
    channel: message.channel,
    to: unmasked ? message.to : channelOf(message.channel).mask(message.to),
    type: message.type,
    direction: message.direction,
    priority: message.priority,
    status,
    force: message.force ?? false,
    payload: { ...shownTexts(message, channelOf(message.channel).payload(message.content), unmasked) },
    attempts: message.attempts,
    createdAt: isoTime(message.createdAt),
    updatedAt: isoTime(message.updatedAt),
    ...tagsOf(message),
    ...definedFields({ numberId, instagramAccountId, batchId, sentByAccountId, sentByName }),
    ...definedFields({
      templateId: keptTemplateId(message),
      mediaStorage: mediaStorage && { ...mediaStorage, storedAt: isoTime(mediaStorage.storedAt) },
    }),
    ...definedFields({
      templateVars: message.templateVars && [...shownTexts(message, message.templateVars, unmasked)],
      reprocessed: message.replacedBy === undefined ? undefined : true,
      replaces: message.replaces,
      replacedBy: message.replacedBy,
      reason: message.reason,
      lastError: lastErrorOf(message, status),
      originalError: message.originalError,
      platformMessageId: message.providerMessageId,
    }),
    ...timestampsOf(message, 'scheduledAt', 'sentAt', 'deliveredAt', 'readAt', 'failedAt', 'archivedAt'),
  };
};

/** A message as of when it was queued, so that a replay returns the first response. */
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

/** The response to a create or a resend: the message as queued, its price, and whether an earlier call created it. */
export const queuedMessageView = (message: MessageRecord, unmasked: boolean, replayed: boolean) => ({
  ...messageView(asQueued(message), unmasked),
  billing: { coins: message.coins },
  replayed,
});

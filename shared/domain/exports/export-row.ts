import { channelOf } from '../channels/registry.ts';
import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { Channel } from '../message/channel.ts';
import type { InboundMessage, StoredMessage } from '../message/inbound-message.ts';
import type { MessageRecord } from '../message/message.ts';
import { shownTexts } from '../message/shown-texts.ts';
import { tagsOf, timestampsOf } from '../message/view-parts.ts';
import { unifiedStatus } from '../tracking/views.ts';

/** The channels that can be exported. */
export const EXPORT_CHANNELS = ['whatsapp', 'sms', 'rcs', 'email'] as const satisfies readonly Channel[];
export type ExportChannel = (typeof EXPORT_CHANNELS)[number];

/** The columns of an export as CSV; those of a row on the wire. */
export const EXPORT_COLUMNS = [
  'id',
  'channel',
  'direction',
  'to',
  'status',
  'createdAt',
  'campaignId',
  'contactId',
  'contactExternalId',
  'metadata',
  'sentAt',
  'deliveredAt',
  'readAt',
  'failedAt',
  'reason',
  'segments',
  'deliveredVia',
  'subject',
] as const;

const sentFields = (message: MessageRecord, unmasked: boolean) => ({
  ...tagsOf(message),
  ...timestampsOf(message, 'sentAt', 'deliveredAt', 'readAt', 'failedAt'),
  ...definedFields({
    reason: message.reason,
    segments: message.channel === 'sms' ? message.units : undefined,
    deliveredVia: message.via,
    subject: message.channel === 'email' ? shownTexts(message, message.content.subject, unmasked) : undefined,
  }),
});

const receivedFields = ({ contactId, sentAt, createdAt }: InboundMessage) => ({
  ...definedFields({ contactId }),
  sentAt: isoTime(sentAt),
  deliveredAt: isoTime(createdAt),
});

/**
 * A message as a row of an export (docs/spec/exports.md#rows). `contactExternalId`: the caller's own id of its contact. The address is masked
 * without pii:full.
 */
export const exportRow = (message: StoredMessage, contactExternalId: string | undefined, unmasked: boolean) => ({
  id: message.id,
  channel: message.channel as ExportChannel,
  direction: message.direction,
  to: unmasked ? message.to : channelOf(message.channel).mask(message.to),
  status: message.direction === 'inbound' ? message.status : unifiedStatus(message),
  createdAt: isoTime(message.createdAt),
  ...definedFields({ contactExternalId }),
  ...(message.direction === 'inbound' ? receivedFields(message) : sentFields(message, unmasked)),
});
export type ExportRow = ReturnType<typeof exportRow>;

/** A row's fields as the cells of a table: metadata as JSON. */
export const exportCells = (row: ExportRow) => {
  const { metadata, ...cells } = { metadata: undefined, ...row };
  return { ...cells, metadata: metadata && JSON.stringify(metadata) };
};

import { definedFields, definedTimes } from '../core/patch.ts';
import type { MessageRecord, MessageStatus } from './message.ts';

type Timestamp = 'scheduledAt' | 'sentAt' | 'deliveredAt' | 'readAt' | 'failedAt' | 'archivedAt';

/** The named timestamps that are set, as ISO 8601. */
export const timestampsOf = <K extends Timestamp>(
  message: MessageRecord,
  ...names: readonly K[]
): { [N in K]?: string } =>
  definedTimes(Object.fromEntries(names.map((name) => [name, message[name]])) as Record<K, number | undefined>);

/** The caller's own references: contact, campaign tag and metadata. */
export const tagsOf = ({ contactId, campaignId, metadata }: MessageRecord) =>
  definedFields({ contactId, campaignId, metadata: metadata && { ...metadata } });

/** The reason if it is in the channel's closed list, else undefined. */
export const wireReason = <R extends string>(names: readonly R[], reason: string | undefined): R | undefined =>
  names.find((name) => name === reason);

/** The stored statuses that a channel shows under one wire status, for list filters. */
export const statusesShownAs = <S extends string>(
  wire: Readonly<Record<MessageStatus, S>>,
  status: S,
): MessageStatus[] => (Object.keys(wire) as MessageStatus[]).filter((state) => wire[state] === status);

/** A message as of its acceptance by the provider: the response to a send and to every replay of it. */
export const asAccepted = <M extends MessageRecord>(message: M): M => ({
  ...message,
  status: 'sent',
  reason: undefined,
  via: undefined,
  providerReceipt: undefined,
  deliveredAt: undefined,
  readAt: undefined,
  failedAt: undefined,
});

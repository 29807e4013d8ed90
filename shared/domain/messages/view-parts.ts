import { isoTime } from '../time.ts';
import type { MessageRecord, MessageStatus } from './message.ts';

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value: what a message lacks is absent on the wire, never null. */
export const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;

type Moment = 'scheduledAt' | 'sentAt' | 'deliveredAt' | 'readAt' | 'failedAt' | 'archivedAt';

/** When it came to what is named, as ISO 8601. */
export const momentsOf = <K extends Moment>(message: MessageRecord, ...names: readonly K[]): { [N in K]?: string } =>
  given(
    Object.fromEntries(
      names.map((name) => [name, message[name] === undefined ? undefined : isoTime(message[name])]),
    ) as Record<K, string | undefined>,
  ) as { [N in K]?: string };

/** What its sender attached to it. */
export const tagsOf = ({ contactId, campaignId, metadata }: MessageRecord) =>
  given({ contactId, campaignId, metadata: metadata && { ...metadata } });

/** A reason, if the wire has a name for it: a channel's list of them is closed. */
export const namedReason = <R extends string>(names: readonly R[], reason: string | undefined): R | undefined =>
  names.find((name) => name === reason);

/** The states of the pipeline that a channel's wire calls by this name: what a list that is filtered by it looks for. */
export const statesCalled = <S extends string>(wire: Readonly<Record<MessageStatus, S>>, status: S): MessageStatus[] =>
  (Object.keys(wire) as MessageStatus[]).filter((state) => wire[state] === status);

/** A message as its provider accepted it: what a send answers, and every replay of it. */
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

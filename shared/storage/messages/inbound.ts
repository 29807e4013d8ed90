import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import type { CodeLink } from '../../domain/inbound/origin.ts';
import type { InboundChange, InboundOutcome } from '../../domain/inbound/receive.ts';
import type { Sender, SenderKey } from '../../domain/inbound/sender.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { archiveExpiry } from '../archive/archive-expiry.ts';
import { usesJourneys } from '../automation/journey-use.ts';
import { signalWorkItems, signalWrites } from '../automation/run-signals.ts';
import { id } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { readChannelUser, userLinkWrite } from '../contacts/channel-users.ts';
import { consentWrites } from '../contacts/contacts.ts';
import { emailConsentStore } from '../contacts/email-addresses.ts';
import { heirOf } from '../contacts/heirs.ts';
import { interactionWrites } from '../contacts/interactions.ts';
import { optOutWrite, recipientKey, recipientRows } from '../contacts/recipient-opt-outs.ts';
import { type ChangesDue, changesDue } from '../contacts/standing.ts';
import { eventWorkItem, eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { INBOUND_SHARDS, shardOf } from '../table-indexes.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { inboundRows, isInbound } from './inbound-rows.ts';
import { linkRows } from './links.ts';
import { messageRows } from './message-rows.ts';

/** A window closes after a day; its row is deleted some days later. */
const KEEP_WINDOW_SECONDS = 7 * 24 * 3600;

const lastRow = z.object({ at: z.int() });
const countRow = z.object({ messages: z.int() });
const readHolder = recipientRows.pick('contactId', 'optInStatus');

/** When a recipient last wrote, in ms, from its row. */
export const parseLastInbound = (row: Row): number => lastRow.parse(row).at;

/** When a recipient last wrote to one of the organization's numbers, or on a channel without numbers, in ms; undefined when it never did. One read. */
export const readLastInbound = async (
  table: Table,
  organizationId: Id<'organization'>,
  { channel, hash, numberId }: Pick<SenderKey, 'channel' | 'hash' | 'numberId'>,
): Promise<number | undefined> => {
  const row = await table.get(KEYS.lastInbound(organizationId, channel, hash, numberId ?? ''));
  return row && parseLastInbound(row);
};

/**
 * When a recipient last wrote to each of the organization's numbers, in ms, latest first; the empty id stands for no number. One query: all
 * windows of a recipient on a channel share a partition.
 */
export const readWindows = async (
  table: Table,
  organizationId: Id<'organization'>,
  { channel, hash }: Pick<SenderKey, 'channel' | 'hash'>,
): Promise<ReadonlyMap<Id<'number'> | '', number>> => {
  const { pk, sk: prefix } = KEYS.lastInbound(organizationId, channel, hash, '');
  const sort = { text: 'begins_with(#sk, :prefix)', values: { prefix } };
  const { rows } = await table.query({ partition: pk, sort, consistent: true });
  const windows = rows.map((row) => [PARSE_KEY.lastInbound(row).numberId, parseLastInbound(row)] as const);
  return new Map(windows.sort(([, a], [, b]) => b - a));
};

const contactOf = async (table: Table, organizationId: Id<'organization'>, id: Id<'contact'> | undefined) => {
  // Messages may still refer to one that was merged.
  const contact = id === undefined ? undefined : await heirOf(table, id);
  return contact?.organizationId === organizationId ? contact : undefined;
};

/** How many of the latest messages to a user of Meta's channels are searched for a contact. */
const MAX_LATEST = 10;

/** The contact of the latest messages to a recipient, if any. One query of an index, which may miss the latest send. */
const namedLast = async (table: Table, organizationId: Id<'organization'>, { channel, hash }: SenderKey) => {
  const partition = INDEX_KEYS.messagesTo(organizationId, hash, channel, '', '').gsi4pk;
  const range = {
    index: 'gsi4',
    partition,
    newestFirst: true,
    limit: MAX_LATEST,
    only: ['pk', 'sk', 'contactId'],
  } as const;
  const { rows } = await table.query(range);
  return id('contact')
    .optional()
    .parse(rows.find(({ contactId }) => contactId !== undefined)?.contactId);
};

/**
 * The contact of a phone, address or user id. An address shared by several contacts belongs to none. Contacts do not own user ids: these
 * belong to the contact of the organization's latest messages.
 */
export const holderOf = async (
  table: Table,
  organizationId: Id<'organization'>,
  key: SenderKey,
): Promise<{ readonly contactId?: Id<'contact'> | undefined; readonly own?: Sender['own'] }> => {
  const { kind, hash, defaultContactId } = key;
  if (kind === 'email') {
    const [contactId, ...others] = await emailConsentStore(table).contactsOf(organizationId, hash);
    return { contactId: others.length === 0 && contactId !== undefined ? contactId : defaultContactId };
  }
  const own = recipientKey(organizationId, kind, hash);
  const [row, named] = await Promise.all([
    own && table.get(own),
    defaultContactId === undefined && kind === 'platform' ? namedLast(table, organizationId, key) : defaultContactId,
  ]);
  const { contactId, optInStatus } = row ? readHolder(row) : {};
  return contactId === undefined ? { contactId: named, own: { optedOut: optInStatus === 'denied' } } : { contactId };
};

/** The known data about the sender of a message. At most five reads. */
export const readSender = async (table: Table, organizationId: Id<'organization'>, key: SenderKey): Promise<Sender> => {
  const { userHash } = key;
  const [{ contactId, own }, lastInboundAt, user] = await Promise.all([
    holderOf(table, organizationId, key),
    readLastInbound(table, organizationId, key),
    userHash === undefined ? undefined : readChannelUser(table, organizationId, userHash),
  ]);
  return { contact: await contactOf(table, organizationId, contactId), own, lastInboundAt, user };
};

/** The organization's links with these codes, in their order, with the campaign tag of their messages. */
export const readCodeLinks = async (
  table: Table,
  organizationId: Id<'organization'>,
  codes: readonly string[],
): Promise<CodeLink[]> => {
  const rows = await table.getMany(codes.map(KEYS.link));
  const links = rows.filter((row): row is Row => row?.org === organizationId).map(linkRows.read);
  const messages = await table.getMany(links.map(({ messageId }) => KEYS.message(messageId)));
  return links.flatMap(({ code, url }, place) => {
    const row = messages[place];
    if (!row || isInbound(row)) return [];
    const { channel, campaignId } = messageRows.read(row);
    return [{ code, url, channel, campaignId }];
  });
};

const windowWrite = ({ message }: InboundChange): WriteOp => ({
  update: KEYS.lastInbound(message.organizationId, message.channel, message.fromHash, message.numberId ?? ''),
  set: { at: message.sentAt, ttl: Math.ceil(message.sentAt / 1000) + KEEP_WINDOW_SECONDS },
  when: { text: 'attribute_not_exists(#at) OR #at < :sent', values: { sent: message.sentAt } },
});

const contactWrites = ({ message, contact }: InboundChange, changes: ChangesDue): WriteOp[] => {
  if (!contact) return [];
  const { before, after, consent } = contact;
  const { lastInteractionAt, whatsappProfileName, updatedAt } = after;
  const changed = lastInteractionAt === before.lastInteractionAt ? {} : { lastInteractionAt, whatsappProfileName };
  if (consent) return consentWrites(before, after, changes, changed);
  if (lastInteractionAt === undefined) return [];
  const { organizationId } = message;
  const interaction = { organizationId, contactId: after.id, lastInteractionAt, whatsappProfileName, updatedAt };
  return interactionWrites(interaction, changes);
};

/** The number of inbound messages ever stored per channel: the inbound part of unfiltered totals. One query of at most 192 short rows. */
export const readInboundCounts = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<Readonly<Partial<Record<Channel, number>>>> => {
  const { rows } = await table.query({ partition: KEYS.inboundCount(organizationId, '', 0).pk, consistent: true });
  const counts: Partial<Record<Channel, number>> = {};
  for (const row of rows) {
    const channel = PARSE_KEY.inboundCount(row).channel as Channel;
    const { messages } = countRow.parse(row);
    counts[channel] = (counts[channel] ?? 0) + messages;
  }
  return counts;
};

/**
 * The facts that an inbound message's writes depend on besides its sender: which changes of its contact are due, and whether journeys must
 * be notified.
 */
interface InboundReadings {
  readonly changes: ChangesDue;
  readonly notifiesJourneys: boolean;
}
/** Reads those; nothing if the sender is not a contact. */
export const readForInbound = async (table: Table, { message, contact }: InboundChange): Promise<InboundReadings> => {
  const { organizationId, contactId } = message;
  const [changes, notifiesJourneys] = await Promise.all([
    contact ? changesDue(table, organizationId) : ('sampled' as const),
    contactId !== undefined && usesJourneys(table, organizationId),
  ]);
  return { changes, notifiesJourneys };
};

/** All writes of an inbound message, for one transaction. The first is its own row, and fails if the message is already stored. */
export const inboundWrites = (
  table: Table,
  change: InboundChange,
  { changes, notifiesJourneys }: InboundReadings,
): readonly [WriteOp, ...WriteOp[]] => {
  const { message, events, opensWindow, ownOptOut, userLink, signal } = change;
  const due = notifiesJourneys ? INDEX_KEYS.due('journey_signal', message.id, message.createdAt) : {};
  const { id, organizationId, channel, contactId, fromHash } = message;
  return [
    { put: { ...inboundRows.write(message), ...archiveExpiry(table, message.createdAt), ...due }, when: ABSENT },
    { update: KEYS.inboundCount(organizationId, channel, shardOf(id, INBOUND_SHARDS)), add: { messages: 1 } },
    ...(opensWindow ? [windowWrite(change)] : []),
    ...contactWrites(change, changes),
    ...(ownOptOut ? [optOutWrite(organizationId, ownOptOut.kind, fromHash, { ...ownOptOut, contactId })] : []),
    ...(userLink ? [userLinkWrite(organizationId, userLink)] : []),
    ...signalWrites(signal),
    ...events.map(eventWrite),
  ];
};

/** The work items for journeys of an inbound message. */
export const journeyWorkItems = (
  { message, signal }: InboundChange,
  { notifiesJourneys }: InboundReadings,
): Publishable[] => [
  ...signalWorkItems(signal),
  ...(notifiesJourneys
    ? [{ kind: 'journey_signal', ...KEYS.message(message.id), owner: message.organizationId } as const]
    : []),
];

/** The result of a cancelled transaction with the writes of `inboundWrites`; undefined when none of their conditions failed. */
export const inboundFault = (reasons: readonly CancelReason[]): Exclude<InboundOutcome, 'kept'> | undefined => {
  if (reasons[0]?.conditionFailed) return 'repeated';
  return reasons.some(({ conditionFailed }) => conditionFailed) ? 'conflict' : undefined;
};

/**
 * Stores an inbound message and everything that it changes, in one transaction. `raised` gets the resulting work for early publication;
 * best effort.
 */
export const keepInbound = async (
  table: Table,
  change: InboundChange,
  raised: (workItems: readonly Publishable[]) => void,
): Promise<InboundOutcome> => {
  const [events, readings] = await Promise.all([
    takenEvents(table, change.message.organizationId, change.events),
    readForInbound(table, change),
  ]);
  const outcome = await table.transact(inboundWrites(table, { ...change, events }, readings));
  if (outcome.ok) raised([...events.map(eventWorkItem), ...journeyWorkItems(change, readings)]);
  return outcome.ok ? 'kept' : (inboundFault(outcome.reasons) ?? 'conflict');
};

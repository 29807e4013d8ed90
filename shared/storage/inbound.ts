import * as z from 'zod';
import type { CodeLink } from '../domain/inbound/origin.ts';
import type { InboundChange, InboundOutcome, Sender, SenderKey } from '../domain/inbound/receive.ts';
import { rulesOf } from '../domain/messages/channels.ts';
import type { Channel } from '../domain/messages/provider.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, INBOUND_SHARDS, KEYS, shardOf } from './access-patterns.ts';
import { optOutWrite, recipientRow } from './consent-rows.ts';
import { consentWrites, parseContact } from './contacts.ts';
import { emailConsentStore } from './email-consent.ts';
import type { WriteOp } from './expressions.ts';
import { inboundRow, isInbound } from './inbound-rows.ts';
import { parseLink } from './links.ts';
import { parseMessage } from './message-rows.ts';
import { eventWrite } from './outbox.ts';
import type { CancelReason, Row, Table } from './table.ts';

/** A window closes after a day; its row is forgotten some days later. */
const KEEP_WINDOW_SECONDS = 7 * 24 * 3600;

const lastRow = z.object({ at: z.int() });
const countRow = z.object({ sk: z.string(), messages: z.int() });
const senderRow = z.object({ contactId: z.string().optional(), optInStatus: z.string().optional() });

/** When a recipient last wrote, in ms, of the row that keeps it. */
export const parseLastInbound = (row: Row): number => lastRow.parse(row).at;

/** When a recipient last wrote to a number of the organization, or without one on a channel, in ms; undefined when it never did. One read. */
export const readLastInbound = async (
  table: Table,
  organizationId: string,
  { channel, hash, numberId = '' }: Pick<SenderKey, 'channel' | 'hash' | 'numberId'>,
): Promise<number | undefined> => {
  const row = await table.get(KEYS.lastInbound(organizationId, channel, hash, numberId));
  return row && parseLastInbound(row);
};

/**
 * When a recipient wrote to each of the organization's numbers in the days that windows are kept for, in ms, the latest first; of no
 * number under the empty id. One query: all of a recipient's windows on a channel lie together.
 */
export const readWindows = async (
  table: Table,
  organizationId: string,
  { channel, hash }: Pick<SenderKey, 'channel' | 'hash'>,
): Promise<ReadonlyMap<string, number>> => {
  const { pk, sk: prefix } = KEYS.lastInbound(organizationId, channel, hash, '');
  const sort = { text: 'begins_with(#sk, :prefix)', values: { prefix } };
  const { rows } = await table.query({ partition: pk, sort, consistent: true });
  const windows = rows.map((row) => [row.sk.slice(prefix.length), parseLastInbound(row)] as const);
  return new Map(windows.sort(([, a], [, b]) => b - a));
};

const contactOf = async (table: Table, organizationId: string, id: string | undefined) => {
  const row = id === undefined ? undefined : await table.get(KEYS.contact(id));
  return row?.org === organizationId ? parseContact(row) : undefined;
};

/** How many of the latest messages to a platform's user are asked whom they named. */
const LATEST = 10;

/** The contact that the latest messages to somebody named, if any did. One query, which lags behind a send of the last moment. */
const namedLast = async (table: Table, organizationId: string, { channel, hash }: SenderKey) => {
  const partition = FINDS.messagesTo(organizationId, hash, channel, '', '').gsi4pk;
  const range = {
    index: 'gsi4',
    partition,
    newestFirst: true,
    limit: LATEST,
    only: ['pk', 'sk', 'contactId'],
  } as const;
  const { rows } = await table.query(range);
  return z
    .string()
    .optional()
    .parse(rows.find(({ contactId }) => contactId !== undefined)?.contactId);
};

/**
 * Whose a phone, an address or a platform's id is; an address that several contacts have is nobody's. No contact has a platform's id for
 * its own: its user is known as whom the organization named last.
 */
const holderOf = async (
  table: Table,
  organizationId: string,
  key: SenderKey,
): Promise<{ readonly contactId?: string | undefined; readonly own?: Sender['own'] }> => {
  const { kind, hash, otherwise } = key;
  if (kind === 'email') {
    const [contactId, ...others] = await emailConsentStore(table).contactsOf(organizationId, hash);
    return { contactId: others.length === 0 && contactId !== undefined ? contactId : otherwise };
  }
  const row = recipientRow(organizationId, kind, hash);
  const [found, named] = await Promise.all([
    row && table.get(row),
    otherwise === undefined && kind === 'platform' ? namedLast(table, organizationId, key) : otherwise,
  ]);
  const { contactId, optInStatus } = senderRow.parse(found ?? {});
  return contactId === undefined ? { contactId: named, own: { optedOut: optInStatus === 'denied' } } : { contactId };
};

/** What is known of who sent a message. At most four reads. */
export const readSender = async (table: Table, organizationId: string, key: SenderKey): Promise<Sender> => {
  const [{ contactId, own }, lastInboundAt] = await Promise.all([
    holderOf(table, organizationId, key),
    readLastInbound(table, organizationId, key),
  ]);
  return { contact: await contactOf(table, organizationId, contactId), own, lastInboundAt };
};

/** The organization's links among these codes, in their order, with the campaign tag of their messages. */
export const readCodeLinks = async (
  table: Table,
  organizationId: string,
  codes: readonly string[],
): Promise<CodeLink[]> => {
  const rows = await table.getMany(codes.map(KEYS.link));
  const links = rows.filter((row): row is Row => row?.org === organizationId).map(parseLink);
  const messages = await table.getMany(links.map(({ messageId }) => KEYS.message(messageId)));
  return links.flatMap(({ code, url }, place) => {
    const row = messages[place];
    if (!row || isInbound(row)) return [];
    const { channel, campaignId } = parseMessage(row);
    return [{ code, url, channel, campaignId }];
  });
};

const windowWrite = ({ message }: InboundChange): WriteOp => ({
  update: KEYS.lastInbound(message.organizationId, message.channel, message.fromHash, message.numberId ?? ''),
  set: { at: message.sentAt, ttl: Math.ceil(message.sentAt / 1000) + KEEP_WINDOW_SECONDS },
  when: { text: 'attribute_not_exists(#at) OR #at < :sent', values: { sent: message.sentAt } },
});

const contactWrites = ({ message, contact }: InboundChange): WriteOp[] => {
  if (!contact) return [];
  const { before, after, consent } = contact;
  const later = after.lastInteractionAt !== before.lastInteractionAt;
  const lastInteractionAt =
    later && after.lastInteractionAt !== undefined ? isoTime(after.lastInteractionAt) : undefined;
  const set = { lastInteractionAt, ...(later ? { whatsappProfileName: after.whatsappProfileName } : {}) };
  if (consent) return consentWrites(before, after, set);
  // Not under the version: who writes ten messages at once is not read ten times for each.
  return [
    {
      update: KEYS.contact(after.id),
      set: { ...set, updatedAt: isoTime(after.updatedAt) },
      add: { version: 1 },
      when: {
        text: '#org = :org AND (attribute_not_exists(#lastInteractionAt) OR #lastInteractionAt < :at)',
        values: { org: message.organizationId, at: lastInteractionAt },
      },
    },
  ];
};

/** How many messages of each channel ever came in: the inbound part of unfiltered totals. One query of at most 24 rows. */
export const readInboundCounts = async (
  table: Table,
  organizationId: string,
): Promise<Readonly<Partial<Record<Channel, number>>>> => {
  const { rows } = await table.query({ partition: KEYS.inboundCount(organizationId, '', 0).pk, consistent: true });
  const counts: Partial<Record<Channel, number>> = {};
  for (const row of rows) {
    const { sk, messages } = countRow.parse(row);
    const channel = sk.slice(0, sk.lastIndexOf('#')) as Channel;
    counts[channel] = (counts[channel] ?? 0) + messages;
  }
  return counts;
};

/** All that an inbound message changes, as parts of one transaction; its own row is the first, and fails when it is kept already. */
export const inboundWrites = (change: InboundChange): readonly [WriteOp, ...WriteOp[]] => {
  const { message, events, opensWindow, ownOptOut } = change;
  const { id, organizationId, channel, contactId, fromHash } = message;
  const { recipient } = rulesOf(channel);
  return [
    { put: inboundRow(message), when: { text: 'attribute_not_exists(#pk)' } },
    { update: KEYS.inboundCount(organizationId, channel, shardOf(id, INBOUND_SHARDS)), add: { messages: 1 } },
    ...(opensWindow ? [windowWrite(change)] : []),
    ...contactWrites(change),
    ...(ownOptOut ? [optOutWrite(organizationId, recipient, fromHash, { ...ownOptOut, contactId })] : []),
    ...events.map(eventWrite),
  ];
};

/** What the cancelled part of a transaction that `inboundWrites` made means; undefined when none of its conditions failed. */
export const inboundFault = (reasons: readonly CancelReason[]): Exclude<InboundOutcome, 'kept'> | undefined => {
  if (reasons[0]?.conditionFailed) return 'repeated';
  return reasons.some(({ conditionFailed }) => conditionFailed) ? 'moved' : undefined;
};

/** Keeps an inbound message with all that it changes, in one transaction. */
export const keepInbound = async (table: Table, change: InboundChange): Promise<InboundOutcome> => {
  const outcome = await table.transact(inboundWrites(change));
  return outcome.ok ? 'kept' : (inboundFault(outcome.reasons) ?? 'moved');
};

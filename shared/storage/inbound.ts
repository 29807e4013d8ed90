import * as z from 'zod';
import type { CodeLink } from '../domain/inbound/origin.ts';
import type { InboundChange, InboundOutcome, Sender, SenderKey } from '../domain/inbound/receive.ts';
import type { Channel } from '../domain/messages/provider.ts';
import { isoTime } from '../domain/time.ts';
import { INBOUND_SHARDS, KEYS, shardOf } from './access-patterns.ts';
import { consentWrites, parseContact } from './contacts.ts';
import { emailConsentStore } from './email-consent.ts';
import type { WriteOp } from './expressions.ts';
import { inboundRow, isInbound } from './inbound-rows.ts';
import { parseLink } from './links.ts';
import { parseMessage } from './message-rows.ts';
import { eventWrite } from './outbox.ts';
import { phoneOptOutWrite } from './phone-consent.ts';
import type { CancelReason, Row, Table } from './table.ts';

/** A window closes after a day; its row is forgotten some days later. */
const KEEP_WINDOW_SECONDS = 7 * 24 * 3600;

const lastRow = z.object({ at: z.int() });
const countRow = z.object({ sk: z.string(), messages: z.int() });
const phoneRow = z.object({ contactId: z.string().optional(), optInStatus: z.string().optional() });

/** When a recipient last wrote to a number of the organization, or without one on a channel, in ms; undefined when it never did. One read. */
export const readLastInbound = async (
  table: Table,
  organizationId: string,
  { channel, hash, numberId = '' }: Pick<SenderKey, 'channel' | 'hash' | 'numberId'>,
): Promise<number | undefined> => {
  const row = await table.get(KEYS.lastInbound(organizationId, channel, hash, numberId));
  return row && lastRow.parse(row).at;
};

/**
 * The number of the organization that a recipient last wrote to; undefined when it wrote to none in the days that windows are kept for.
 * One query: all of a recipient's windows on a channel lie together.
 */
export const readLastWrittenTo = async (
  table: Table,
  organizationId: string,
  { channel, hash }: Pick<SenderKey, 'channel' | 'hash'>,
): Promise<string | undefined> => {
  const { pk, sk: prefix } = KEYS.lastInbound(organizationId, channel, hash, '');
  const sort = { text: 'begins_with(#sk, :prefix)', values: { prefix } };
  const { rows } = await table.query({ partition: pk, sort, consistent: true });
  const windows = rows.map((row) => ({ at: lastRow.parse(row).at, numberId: row.sk.slice(prefix.length) }));
  const [latest] = windows.filter(({ numberId }) => numberId !== '').sort((a, b) => b.at - a.at);
  return latest?.numberId;
};

const contactOf = async (table: Table, organizationId: string, id: string | undefined) => {
  const row = id === undefined ? undefined : await table.get(KEYS.contact(id));
  return row?.org === organizationId ? parseContact(row) : undefined;
};

/** Whose a phone or an address is; an address that several contacts have is nobody's. */
const holderOf = async (
  table: Table,
  organizationId: string,
  { kind, hash }: SenderKey,
): Promise<{ readonly contactId?: string | undefined; readonly loosePhone?: Sender['loosePhone'] }> => {
  if (kind === 'phone') {
    const row = phoneRow.parse((await table.get(KEYS.phone(organizationId, hash))) ?? {});
    if (row.contactId !== undefined) return { contactId: row.contactId };
    return { loosePhone: { optedOut: row.optInStatus === 'denied' } };
  }
  if (kind !== 'email') return {};
  const [contactId, ...others] = await emailConsentStore(table).contactsOf(organizationId, hash);
  return others.length === 0 ? { contactId } : {};
};

/** What is known of who sent a message. At most three reads. */
export const readSender = async (table: Table, organizationId: string, key: SenderKey): Promise<Sender> => {
  const [{ contactId, loosePhone }, lastInboundAt] = await Promise.all([
    holderOf(table, organizationId, key),
    readLastInbound(table, organizationId, key),
  ]);
  return { contact: await contactOf(table, organizationId, contactId ?? key.otherwise), loosePhone, lastInboundAt };
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
  const { message, events, opensWindow, phoneOptOut } = change;
  const { id, organizationId, channel } = message;
  return [
    { put: inboundRow(message), when: { text: 'attribute_not_exists(#pk)' } },
    { update: KEYS.inboundCount(organizationId, channel, shardOf(id, INBOUND_SHARDS)), add: { messages: 1 } },
    ...(opensWindow ? [windowWrite(change)] : []),
    ...contactWrites(change),
    ...(phoneOptOut ? [phoneOptOutWrite(organizationId, message.fromHash, phoneOptOut)] : []),
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

import { isRefusal, type Refusal } from '../domain/errors.ts';
import type { StoredMessage } from '../domain/inbound/message.ts';
import type { MessageOf, MessageRecord, MessageStatus } from '../domain/messages/message.ts';
import type { Channel } from '../domain/messages/provider.ts';
import type { ReplyRecord } from '../domain/sms/replies.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { Condition } from './expressions.ts';
import { isInbound, parseStored } from './inbound-rows.ts';
import { readWallet } from './ledger.ts';
import { parseMessage } from './message-rows.ts';
import {
  between,
  type CursorRequest,
  cursorPage,
  fullRows,
  isEmpty,
  type ListRange,
  pageKeys,
  type Window,
} from './pages.ts';
import { parseReply } from './replies.ts';
import type { QueryRange, Row, Table } from './table.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}
export interface MessageFilter extends Window {
  /** One status, or any of several. */
  readonly status?: MessageStatus | readonly MessageStatus[] | undefined;
  readonly region?: string | undefined;
  readonly contactId?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly toHash?: string | undefined;
  /** What carried it (RCS). */
  readonly via?: string | undefined;
}

/** That each attribute has its value, or one of its values. */
const oneOfEach = (wanted: Readonly<Record<string, string | readonly string[] | undefined>>): Condition | undefined => {
  const values: Record<string, string> = {};
  const terms = Object.entries(wanted).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const named = [value].flat().map((one, at) => {
      values[`is_${name}_${at}`] = one;
      return `:is_${name}_${at}`;
    });
    return [`#${name} IN (${named.join(', ')})`];
  });
  return terms.length > 0 ? { text: terms.join(' AND '), values } : undefined;
};

/** The narrowest index that a filter names, and what is left to filter on it. */
const messageRange = (organizationId: string, channel: Channel, filter: MessageFilter): ListRange => {
  const [at, id] = ['', ''];
  const left: Record<string, string | readonly string[] | undefined> = {
    status: filter.status,
    region: filter.region,
    via: filter.via,
  };
  const sort = between(filter);
  let range: Pick<ListRange, 'index' | 'partition'>;
  if (filter.toHash !== undefined) {
    range = { index: 'gsi4', partition: FINDS.messagesTo(organizationId, filter.toHash, channel, at, id).gsi4pk };
    Object.assign(left, { contactId: filter.contactId, campaignId: filter.campaignId });
  } else if (filter.contactId !== undefined) {
    range = { index: 'gsi2', partition: FINDS.messagesOfContact(filter.contactId, channel, at, id).gsi2pk };
    Object.assign(left, { org: organizationId, campaignId: filter.campaignId });
  } else if (filter.campaignId !== undefined) {
    range = {
      index: 'gsi3',
      partition: FINDS.messagesOfCampaign(organizationId, filter.campaignId, channel, at, id).gsi3pk,
    };
  } else range = { index: 'gsi1', partition: FINDS.messagesOf(organizationId, channel, at, id).gsi1pk };
  const filterCondition = oneOfEach(left);
  return { ...range, ...(sort ? { sort } : {}), ...(filterCondition ? { filter: filterCondition } : {}) };
};

const isWhole = (range: QueryRange) => range.index === 'gsi1' && !range.sort && !range.filter;

/** A page of a channel's messages, newest first. The unfiltered total is kept on the wallet; a filtered one is counted on its narrow index. */
export const listMessagePage = async <C extends Channel>(
  table: Table,
  organizationId: string,
  channel: C,
  filter: MessageFilter,
  page: { skip: number; limit: number },
): Promise<Page<MessageOf<C>>> => {
  if (isEmpty(filter)) return { items: [], total: 0 };
  const range = messageRange(organizationId, channel, filter);
  const [keys, total] = await Promise.all([
    pageKeys(table, { ...range, newestFirst: true }, page.skip, page.limit),
    isWhole(range) ? readWallet(table, organizationId).then((read) => read?.wallet[channel] ?? 0) : table.count(range),
  ]);
  return { items: (await fullRows(table, keys)).map(parseMessage) as MessageOf<C>[], total };
};

/**
 * A page of a channel's messages by cursor, newest first: its cost does not grow with the list. A page that is filtered may come
 * back short with a `nextCursor`; without one the list ended. 400 for a cursor that is none of this list's.
 */
export const listMessageCursor = async <C extends Channel>(
  table: Table,
  channel: C,
  filter: MessageFilter,
  request: CursorRequest,
): Promise<{ readonly items: readonly MessageOf<C>[]; readonly nextCursor?: string } | Refusal<'BAD_REQUEST'>> => {
  if (isEmpty(filter)) return { items: [] };
  const page = await cursorPage(table, messageRange(request.scope.organizationId, channel, filter), request);
  if (isRefusal(page)) return page;
  const { keys, ...next } = page;
  return { items: (await fullRows(table, keys)).map(parseMessage) as MessageOf<C>[], ...next };
};

/** A page of replies, newest first. */
export const listReplyPage = async (
  table: Table,
  organizationId: string,
  filter: Window & { inReplyTo?: string | undefined },
  page: { skip: number; limit: number },
): Promise<Page<ReplyRecord>> => {
  if (isEmpty(filter)) return { items: [], total: 0 };
  const sort = between(filter);
  const range: QueryRange =
    filter.inReplyTo === undefined
      ? { index: 'gsi1', partition: FINDS.repliesOf(organizationId, 'sms', '', '').gsi1pk, ...(sort ? { sort } : {}) }
      : {
          index: 'gsi2',
          partition: FINDS.repliesTo(filter.inReplyTo, '', '').gsi2pk,
          ...(sort ? { sort } : {}),
          filter: { text: '#org = :org', values: { org: organizationId } },
        };
  const [keys, total] = await Promise.all([
    pageKeys(table, { ...range, newestFirst: true }, page.skip, page.limit),
    isWhole(range) ? readWallet(table, organizationId).then((read) => read?.wallet.replies ?? 0) : table.count(range),
  ]);
  return { items: (await fullRows(table, keys)).map(parseReply), total };
};

/** Messages that were sent, by their ids, those that there are. One read of up to 100. */
export const readMessages = async (table: Table, ids: readonly string[]): Promise<MessageRecord[]> =>
  (await table.getMany(ids.map(KEYS.message)))
    .filter((row) => row && !isInbound(row))
    .map((row) => parseMessage(row as Row));

/** One message of the organization, of any channel and either direction. */
export const readStored = async (
  table: Table,
  organizationId: string,
  id: string,
): Promise<StoredMessage | undefined> => {
  const row = await table.get(KEYS.message(id));
  return row && row.org === organizationId ? parseStored(row) : undefined;
};

/** One message that the organization sent, of any channel. */
export const readMessage = async (
  table: Table,
  organizationId: string,
  id: string,
): Promise<MessageRecord | undefined> => {
  const message = await readStored(table, organizationId, id);
  return message?.direction === 'outbound' ? message : undefined;
};

/** One reply of the organization. */
export const readReply = async (table: Table, organizationId: string, id: string): Promise<ReplyRecord | undefined> => {
  const row = await table.get(KEYS.reply(id));
  return row && row.org === organizationId ? parseReply(row) : undefined;
};

import * as z from 'zod';
import type { CursorItems } from '../../domain/core/cursor.ts';
import type { Refusal } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { ReplyRecord } from '../../domain/inbound/sms-reply.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { StoredMessage } from '../../domain/message/inbound-message.ts';
import type { MessageFilter, Page, PageRequest } from '../../domain/message/lists.ts';
import type { MessageOf, MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import { allOf, equal } from '../client/conditions.ts';
import { type CursorRequest, cursorItems, type ListRange } from '../client/cursor-pages.ts';
import type { Condition } from '../client/expressions.ts';
import { between, isEmpty, newestPage, type Window } from '../client/pages.ts';
import type { QueryRange, Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { listShardsUpTo } from '../table-indexes.ts';
import { readWallet } from '../wallet/read-wallet.ts';
import { isInbound, readStoredMessage } from './inbound-rows.ts';
import { messageRows } from './message-rows.ts';
import { replyRows } from './replies.ts';
import { type Found, findFiltered, findInRange, foundPage, type ListReading } from './totals/filtered-total.ts';
import { conditionOf, type ListFilter } from './totals/list-filter.ts';

/** How many shards an organization's lists of messages have besides the first. Reads one row. */
export const readListShards = async (table: Table, organizationId: Id<'organization'>): Promise<number> => {
  const row = await table.get(KEYS.wallet(organizationId), { only: ['ledgers'] });
  return listShardsUpTo(z.int().default(0).parse(row?.ledgers));
};

/** The narrowest index for a selection of a channel's messages, filtered by the rest of the selection and by `filter`. */
export const messageRange = (
  organizationId: Id<'organization'>,
  channel: Channel,
  { contactId, campaignId, recipientHash, ...window }: Omit<MessageFilter, 'status' | 'region' | 'via'>,
  filter: Condition | undefined,
  shards: number,
): ListRange => {
  const shardNumbers = Array.from({ length: shards }, (_, at) => at + 1);
  const sort = between(window);
  if (recipientHash !== undefined) {
    const partition = INDEX_KEYS.messagesTo(organizationId, recipientHash, channel, '', '').gsi4pk;
    return { index: 'gsi4', partition, sort, filter: allOf([filter, equal({ contactId, campaignId })]) };
  }
  if (contactId !== undefined) {
    const partition = INDEX_KEYS.messagesOfContact(contactId, channel, '', '').gsi2pk;
    return { index: 'gsi2', partition, sort, filter: allOf([filter, equal({ org: organizationId, campaignId })]) };
  }
  if (campaignId !== undefined) {
    const of = (shard: number) =>
      INDEX_KEYS.messagesOfCampaign(organizationId, campaignId, channel, '', '', shard).gsi3pk;
    return { index: 'gsi3', partition: of(0), others: shardNumbers.map(of), sort, filter };
  }
  const of = (shard: number) => INDEX_KEYS.messagesOf(organizationId, channel, '', '', shard).gsi1pk;
  return { index: 'gsi1', partition: of(0), others: shardNumbers.map(of), sort, filter };
};

/** Whether a filter needs fields that the entries of one recipient do not project: then its messages, which are few, are read in full. */
const isReadInFull = ({ recipientHash, status, via }: MessageFilter): boolean =>
  recipientHash !== undefined && (status !== undefined || via !== undefined);

/** Whether a message, as it is now, has the status and carrier of a filter: nothing else of it changes with its delivery. */
const isMatch = ({ status, via }: MessageFilter, message: MessageRecord): boolean =>
  (status === undefined || [status].flat().includes(message.status)) && (via === undefined || message.via === via);

/** The part of a filter that its index evaluates. */
const listFilterOf = (filter: MessageFilter): ListFilter => {
  const { status, via } = isReadInFull(filter) ? {} : filter;
  return { statuses: status === undefined ? undefined : [status].flat(), via, region: filter.region };
};

const rangeOf = (
  organizationId: Id<'organization'>,
  channel: Channel,
  filter: MessageFilter,
  shards: number,
): ListRange => {
  const { contactId, campaignId, recipientHash, from, to } = filter;
  const selection = { contactId, campaignId, recipientHash, from, to };
  return messageRange(organizationId, channel, selection, conditionOf(listFilterOf(filter)), shards);
};

/** Whether a filter is for one recipient or contact, whose messages are in one partition however many lanes sent them. */
const isOfOne = ({ contactId, recipientHash }: MessageFilter): boolean =>
  contactId !== undefined || recipientHash !== undefined;

/** Whether a range is a complete list, whose total is stored. */
export const isWhole = ({ index, sort, filter }: QueryRange): boolean => index === 'gsi1' && !sort && !filter;

/** A filter of a channel's messages that one index covers completely, for counting its total. */
interface SentSelection extends Window {
  readonly organizationId: Id<'organization'>;
  readonly channel: Channel;
  readonly contactId?: Id<'contact'> | undefined;
  readonly campaignId?: string | undefined;
}

/** Finds the messages of a channel that match a filter: there are at most `size`, in `shards` besides the first. */
export const findSent = async (
  reading: ListReading,
  { organizationId, channel, contactId, campaignId, ...window }: SentSelection,
  filter: ListFilter,
  { size, shards }: { readonly size: number; readonly shards: number },
): Promise<Found> => {
  const { table } = reading;
  const select = { contactId, campaignId };
  if (contactId !== undefined)
    return findInRange(
      table,
      messageRange(organizationId, channel, { ...select, ...window }, conditionOf(filter), shards),
    );
  const range = messageRange(organizationId, channel, select, undefined, shards);
  const marked = { organizationId, channel, shards, campaignId };
  return findFiltered(reading, { range, filter, marked }, window, size);
};

/** A page of a channel's messages, newest first. The unfiltered total is stored on the wallet, parts of a filtered one as counts of hours and days. */
export const listMessagePage = async <C extends Channel>(
  reading: ListReading,
  organizationId: Id<'organization'>,
  channel: C,
  filter: MessageFilter,
  page: PageRequest,
): Promise<Page<MessageOf<C>>> => {
  if (isEmpty(filter)) return { items: [], total: 0 };
  const { table } = reading;
  const read = isOfOne(filter) ? undefined : await readWallet(table, organizationId);
  const shards = listShardsUpTo(read?.wallet.ledgers ?? 0);
  const range = rangeOf(organizationId, channel, filter, shards);
  if (isReadInFull(filter)) {
    const all = await newestPage(table, range, { skip: 0, limit: Number.MAX_SAFE_INTEGER });
    const found = all.map(messageRows.read).filter((message) => isMatch(filter, message)) as MessageOf<C>[];
    return { items: found.slice(page.skip, page.skip + page.limit), total: found.length };
  }
  const size = read?.wallet[channel] ?? 0;
  const { contactId, campaignId, from, to } = filter;
  const selection = { organizationId, channel, contactId, campaignId, from, to };
  const isCounted = filter.recipientHash === undefined && !isWhole(range);
  const found = isCounted
    ? await findSent(reading, selection, listFilterOf(filter), { size, shards })
    : findInRange(table, range, isWhole(range) ? size : undefined);
  return foundPage(table, [found], range.index, page, (row) => {
    const message = messageRows.read(row);
    return isMatch(filter, message) ? (message as MessageOf<C>) : undefined;
  });
};

/**
 * A page of a channel's messages by cursor, newest first; its cost does not grow with the list. A filtered page may have fewer items and still
 * a `nextCursor`; without one the list ended. 400 for a cursor of another list.
 */
export const listMessageCursor = async <C extends Channel>(
  table: Table,
  channel: C,
  filter: MessageFilter,
  request: CursorRequest,
): Promise<CursorItems<MessageOf<C>> | Refusal<'BAD_REQUEST'>> => {
  if (isEmpty(filter)) return { items: [] };
  const { organizationId } = request.scope;
  const shards = isOfOne(filter) ? 0 : await readListShards(table, organizationId);
  const range = rangeOf(organizationId, channel, filter, shards);
  return cursorItems(
    table,
    range,
    request,
    (rows) => rows.map(messageRows.read).filter((message) => isMatch(filter, message)) as MessageOf<C>[],
  );
};

/** The replies to a message, or all of an organization. */
const replyRange = (
  organizationId: Id<'organization'>,
  { inReplyTo, ...window }: Window & { inReplyTo?: Id<'message'> | undefined },
): QueryRange => {
  const sort = between(window);
  if (inReplyTo === undefined)
    return { index: 'gsi1', partition: INDEX_KEYS.repliesOf(organizationId, 'sms', '', '').gsi1pk, sort };
  const partition = INDEX_KEYS.repliesTo(inReplyTo, '', '').gsi2pk;
  return { index: 'gsi2', partition, sort, filter: equal({ org: organizationId }) };
};

/** A page of replies, newest first. */
export const listReplyPage = async (
  table: Table,
  organizationId: Id<'organization'>,
  filter: Window & { inReplyTo?: Id<'message'> | undefined },
  page: PageRequest,
): Promise<Page<ReplyRecord>> => {
  if (isEmpty(filter)) return { items: [], total: 0 };
  const range = replyRange(organizationId, filter);
  const [rows, total] = await Promise.all([
    newestPage(table, range, page),
    isWhole(range) ? readWallet(table, organizationId).then((read) => read?.wallet.replies ?? 0) : table.count(range),
  ]);
  return { items: rows.map(replyRows.read), total };
};

/** Sent messages by their ids; missing ones are left out. One read of up to 100. */
export const readMessages = async (table: Table, ids: readonly Id<'message'>[]): Promise<MessageRecord[]> =>
  (await table.getMany(ids.map(KEYS.message))).flatMap((row) =>
    row && !isInbound(row) ? [messageRows.read(row)] : [],
  );

/** A message of the organization, of any channel and direction; none of a batch that was refused as a whole. */
export const readStored = async (
  table: Table,
  organizationId: Id<'organization'>,
  id: Id<'message'>,
): Promise<StoredMessage | undefined> => {
  const row = await table.get(KEYS.message(id));
  return row && row.org === organizationId && row.withdrawn !== true ? readStoredMessage(row) : undefined;
};

/** A sent message of the organization, of any channel. */
export const readMessage = async (
  table: Table,
  organizationId: Id<'organization'>,
  id: Id<'message'>,
): Promise<MessageRecord | undefined> => {
  const message = await readStored(table, organizationId, id);
  return message?.direction === 'outbound' ? message : undefined;
};

/** A sent message of the organization on a channel. */
export const readMessageOf = async <C extends Channel>(
  table: Table,
  organizationId: Id<'organization'>,
  channel: C,
  id: Id<'message'>,
): Promise<MessageOf<C> | undefined> => {
  const message = await readMessage(table, organizationId, id);
  return message?.channel === channel ? (message as MessageOf<C>) : undefined;
};

/** A reply of the organization. */
export const readReply = async (
  table: Table,
  organizationId: Id<'organization'>,
  id: Id<'reply'>,
): Promise<ReplyRecord | undefined> => {
  const row = await table.get(KEYS.reply(id));
  return row && row.org === organizationId ? replyRows.read(row) : undefined;
};

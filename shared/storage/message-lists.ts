import type { MessageOf, MessageRecord } from '../domain/messages/message.ts';
import type { Channel } from '../domain/messages/provider.ts';
import type { ReplyRecord } from '../domain/sms/replies.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { Condition } from './expressions.ts';
import { readWallet } from './ledger.ts';
import { parseMessage } from './message-rows.ts';
import { between, fullRows, isEmpty, pageKeys, type Window } from './pages.ts';
import { parseReply } from './replies.ts';
import type { QueryRange, Table } from './table.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}
export interface MessageFilter extends Window {
  readonly status?: string | undefined;
  readonly region?: string | undefined;
  readonly contactId?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly toHash?: string | undefined;
  /** What carried it (RCS). */
  readonly via?: string | undefined;
}

/** The narrowest index that a filter names, and what is left to filter on it. */
const messageRange = (organizationId: string, channel: Channel, filter: MessageFilter): QueryRange => {
  const [at, id] = ['', ''];
  const left: Record<string, string | undefined> = { status: filter.status, region: filter.region, via: filter.via };
  const sort = between(filter);
  let range: Pick<QueryRange, 'index' | 'partition'>;
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
  const terms = Object.entries(left).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const filterCondition: Condition | undefined =
    terms.length > 0
      ? {
          text: terms.map(([name]) => `#${name} = :is_${name}`).join(' AND '),
          values: Object.fromEntries(terms.map(([name, value]) => [`is_${name}`, value])),
        }
      : undefined;
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

/** One message of the organization, of any channel. */
export const readMessage = async (
  table: Table,
  organizationId: string,
  id: string,
): Promise<MessageRecord | undefined> => {
  const row = await table.get(KEYS.message(id));
  return row && row.org === organizationId ? parseMessage(row) : undefined;
};

/** One reply of the organization. */
export const readReply = async (table: Table, organizationId: string, id: string): Promise<ReplyRecord | undefined> => {
  const row = await table.get(KEYS.reply(id));
  return row && row.org === organizationId ? parseReply(row) : undefined;
};

import { CHANNELS } from '../../domain/channels/registry.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { StoredMessage } from '../../domain/message/inbound-message.ts';
import type { Page } from '../../domain/message/lists.ts';
import { MESSAGE_STATUSES } from '../../domain/message/message.ts';
import { UNIFIED_OF, type UnifiedStatus, unifiedStatus } from '../../domain/tracking/views.ts';
import { equal } from '../client/conditions.ts';
import type { ListRange } from '../client/cursor-pages.ts';
import { between, isEmpty, type Window } from '../client/pages.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { listShardsUpTo } from '../table-indexes.ts';
import { readWallet } from '../wallet/read-wallet.ts';
import { readInboundCounts } from './inbound.ts';
import { readStoredMessage } from './inbound-rows.ts';
import { findSent, isWhole, messageRange } from './message-lists.ts';
import { type Found, findFiltered, findInRange, foundPage, type ListReading } from './totals/filtered-total.ts';
import { conditionOf, type ListFilter } from './totals/list-filter.ts';

export interface UnifiedFilter extends Window {
  readonly status?: UnifiedStatus | undefined;
  readonly contactId?: Id<'contact'> | undefined;
  readonly campaignId?: string | undefined;
  readonly numberId?: string | undefined;
  readonly batchId?: Id<'batch'> | undefined;
  readonly sentByAccountId?: Id<'account'> | undefined;
}

/** The part of a filter that a channel's index evaluates. An archived message has no other status. */
const listFilterOf = ({ status, numberId, batchId, sentByAccountId }: UnifiedFilter): ListFilter => {
  const values = { numberId, batchId, sentByAccountId };
  if (status === undefined) return values;
  if (status === 'archived') return { ...values, archived: true };
  return { ...values, archived: false, statuses: MESSAGE_STATUSES.filter((each) => UNIFIED_OF[each] === status) };
};

/** A list that may match a filter: its range, maximum size, and a finder of matches. */
interface MatchingList {
  readonly range: ListRange;
  readonly size: number;
  readonly find: () => Promise<Found> | Found;
}

const sentList = (
  reading: ListReading,
  organizationId: Id<'organization'>,
  channel: Channel,
  filter: UnifiedFilter,
  of: { readonly size: number; readonly shards: number },
): MatchingList => {
  const { contactId, campaignId, from, to } = filter;
  const select = { contactId, campaignId, from, to };
  const narrow = listFilterOf(filter);
  return {
    range: messageRange(organizationId, channel, select, conditionOf(narrow), of.shards),
    size: of.size,
    find: () => findSent(reading, { organizationId, channel, ...select }, narrow, of),
  };
};

/** A channel's inbound messages; undefined when the filter excludes all of them. They do not change, and all are `delivered`. */
const inboundList = (
  reading: ListReading,
  organizationId: Id<'organization'>,
  channel: Channel,
  filter: UnifiedFilter,
  size: number,
): MatchingList | undefined => {
  const { status, contactId, campaignId, batchId, sentByAccountId, numberId, ...window } = filter;
  const asksForSent = [campaignId, batchId, sentByAccountId].some((value) => value !== undefined);
  if (asksForSent || (status !== undefined && status !== 'delivered')) return undefined;
  const sort = between(window);
  if (contactId !== undefined) {
    const partition = INDEX_KEYS.inboundOfContact(contactId, channel, '', '').gsi2pk;
    const range: ListRange = { index: 'gsi2', partition, sort, filter: equal({ numberId, org: organizationId }) };
    return { range, size, find: () => findInRange(reading.table, range) };
  }
  const range: ListRange = { index: 'gsi1', partition: INDEX_KEYS.inboundOf(organizationId, channel, '', '').gsi1pk };
  const counted = { range, filter: { numberId }, marked: undefined };
  return {
    range: { ...range, sort, filter: equal({ numberId }) },
    size,
    find: () => findFiltered(reading, counted, window, size),
  };
};

/** The lists that may match a filter; lists in which nothing was ever stored are omitted. */
const listsOf = async (
  reading: ListReading,
  organizationId: Id<'organization'>,
  filter: UnifiedFilter,
): Promise<MatchingList[]> => {
  const [read, inbound] = await Promise.all([
    readWallet(reading.table, organizationId),
    readInboundCounts(reading.table, organizationId),
  ]);
  const shards = listShardsUpTo(read?.wallet.ledgers ?? 0);
  return CHANNELS.flatMap((channel) => {
    const of = { size: read?.wallet[channel] ?? 0, shards };
    const received = inboundList(reading, organizationId, channel, filter, inbound[channel] ?? 0);
    return [sentList(reading, organizationId, channel, filter, of), ...(received ? [received] : [])].filter(
      ({ size }) => size > 0,
    );
  });
};

/** Whether a message, as it is now, has the status of a filter: nothing else of it changes with its delivery. */
const isMatch = ({ status }: UnifiedFilter, message: StoredMessage): boolean =>
  status === undefined ||
  status === (message.direction === 'inbound' ? UNIFIED_OF[message.status] : unifiedStatus(message));

const NOTHING = { items: [], total: 0 };

/**
 * A page of an organization's messages of all channels, newest first: keys are merged from the channels' lists of sent and inbound
 * messages, and one batch reads the page's rows. Lists in which nothing was ever stored are not read. The total of an unfiltered list is
 * stored in counters, and the page's cost does not depend on the number of messages; a filtered total is composed from counts of hours and
 * days.
 */
export const listAllMessages = async (
  reading: ListReading,
  organizationId: Id<'organization'>,
  filter: UnifiedFilter,
  { skip, limit }: { skip: number; limit: number },
): Promise<Page<StoredMessage>> => {
  if (isEmpty(filter)) return NOTHING;
  const lists = await listsOf(reading, organizationId, filter);
  if (lists.length === 0) return NOTHING;
  const { table } = reading;
  const found = await Promise.all(
    lists.map(async ({ range, size, find }) => (isWhole(range) ? findInRange(table, range, size) : find())),
  );
  return foundPage(table, found, lists[0]?.range.index, { skip, limit }, (row) => {
    const message = readStoredMessage(row);
    return isMatch(filter, message) ? message : undefined;
  });
};

import { CHANNELS } from '../../domain/channels/registry.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { StoredMessage } from '../../domain/message/inbound-message.ts';
import type { Page } from '../../domain/message/lists.ts';
import { MESSAGE_STATUSES } from '../../domain/message/message.ts';
import { UNIFIED_OF, type UnifiedStatus } from '../../domain/tracking/views.ts';
import { allOf, equal, oneOf } from '../client/conditions.ts';
import type { ListRange } from '../client/cursor-pages.ts';
import type { Condition } from '../client/expressions.ts';
import { mergeNewest } from '../client/merge-newest.ts';
import { between, countAll, fullRows, isEmpty, keysOf, partsOf, type Window } from '../client/pages.ts';
import type { QueryRange, Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { listShardsUpTo } from '../table-indexes.ts';
import { readWallet } from '../wallet/read-wallet.ts';
import { readInboundCounts } from './inbound.ts';
import { readStoredMessage } from './inbound-rows.ts';
import { isWhole, messageRange } from './message-lists.ts';

export interface UnifiedFilter extends Window {
  readonly status?: UnifiedStatus | undefined;
  readonly contactId?: Id<'contact'> | undefined;
  readonly campaignId?: string | undefined;
  readonly numberId?: string | undefined;
  readonly batchId?: Id<'batch'> | undefined;
  readonly sentByAccountId?: Id<'account'> | undefined;
}

/** Condition: the message has a channel status that maps to this unified status. An archived message has no other status. */
const hasStatus = (status: UnifiedStatus | undefined): Condition | undefined => {
  if (status === undefined) return undefined;
  if (status === 'archived') return { text: 'attribute_exists(#archivedAt)' };
  const statuses = MESSAGE_STATUSES.filter((each) => UNIFIED_OF[each] === status);
  return allOf([{ text: 'attribute_not_exists(#archivedAt)' }, oneOf('status', statuses)]);
};

const sentRange = (
  organizationId: Id<'organization'>,
  channel: Channel,
  filter: UnifiedFilter,
  shards: number,
): ListRange => {
  const { status, numberId, batchId, sentByAccountId, ...selection } = filter;
  const rest = allOf([equal({ numberId, batchId, sentByAccountId }), hasStatus(status)]);
  return messageRange(organizationId, channel, selection, rest, shards);
};

/** The range of a channel's inbound messages; undefined when the filter excludes all of them. */
const inboundRange = (
  organizationId: Id<'organization'>,
  channel: Channel,
  filter: UnifiedFilter,
): QueryRange | undefined => {
  const { status, contactId, campaignId, batchId, sentByAccountId, numberId } = filter;
  const asksForSent = [campaignId, batchId, sentByAccountId].some((value) => value !== undefined);
  if (asksForSent || (status !== undefined && status !== 'delivered')) return undefined;
  const sort = between(filter);
  if (contactId === undefined) {
    const partition = INDEX_KEYS.inboundOf(organizationId, channel, '', '').gsi1pk;
    return { index: 'gsi1', partition, sort, filter: equal({ numberId }) };
  }
  const partition = INDEX_KEYS.inboundOfContact(contactId, channel, '', '').gsi2pk;
  return { index: 'gsi2', partition, sort, filter: equal({ numberId, org: organizationId }) };
};

/** The lists that may match a filter, each with its stored total; empty ones are left out. */
const listsOf = async (table: Table, organizationId: Id<'organization'>, filter: UnifiedFilter) => {
  const [read, inbound] = await Promise.all([
    readWallet(table, organizationId),
    readInboundCounts(table, organizationId),
  ]);
  const shards = listShardsUpTo(read?.wallet.ledgers ?? 0);
  return CHANNELS.flatMap((channel) => {
    const received = inboundRange(organizationId, channel, filter);
    return [
      { range: sentRange(organizationId, channel, filter, shards), size: read?.wallet[channel] ?? 0 },
      ...(received ? [{ range: received, size: inbound[channel] ?? 0 }] : []),
    ].filter(({ size }) => size > 0);
  });
};

const NOTHING = { items: [], total: 0 };

/**
 * A page of an organization's messages of all channels, newest first: keys are merged from the channels' indexes of sent and inbound messages,
 * and one batch reads the page's rows. Lists in which nothing was ever stored are not read. The unfiltered total is stored in counters, and
 * the page's cost does not depend on the number of messages; a filtered total is counted on the narrow indexes.
 */
export const listAllMessages = async (
  table: Table,
  organizationId: Id<'organization'>,
  filter: UnifiedFilter,
  { skip, limit }: { skip: number; limit: number },
): Promise<Page<StoredMessage>> => {
  if (isEmpty(filter)) return NOTHING;
  const lists = await listsOf(table, organizationId, filter);
  if (lists.length === 0) return NOTHING;
  const ranges = lists.map(({ range }) => range);
  const whole = ranges.every(isWhole);
  const counts = whole ? lists.map(({ size }) => size) : ranges.map((range) => countAll(table, range));
  const [keys, ...totals] = await Promise.all([
    mergeNewest(
      ranges.flatMap(partsOf).map((range) => keysOf(table, range, skip + limit)),
      (row) => String(row[`${ranges[0]?.index}sk`]),
      skip,
      limit,
    ),
    ...counts,
  ]);
  const rows = await fullRows(table, keys);
  return { items: rows.map(readStoredMessage), total: totals.reduce((sum, count) => sum + count, 0) };
};

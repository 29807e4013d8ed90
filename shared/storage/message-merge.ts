import type { StoredMessage } from '../domain/inbound/message.ts';
import { MESSAGE_STATUSES } from '../domain/messages/message.ts';
import { CHANNELS, type Channel } from '../domain/messages/provider.ts';
import { UNIFIED_OF, type UnifiedStatus } from '../domain/messages/views.ts';
import { FINDS } from './access-patterns.ts';
import type { Condition } from './expressions.ts';
import { readInboundCounts } from './inbound.ts';
import { parseStored } from './inbound-rows.ts';
import { readWallet } from './ledger.ts';
import type { Page } from './message-lists.ts';
import { between, fullRows, isEmpty, type Window } from './pages.ts';
import type { QueryRange, Row, Table } from './table.ts';

/** Rows that one read of an unfiltered index takes at most; a filtered one reads as many and keeps what matches. */
const MOST_PER_READ = 1_000;

export interface UnifiedFilter extends Window {
  readonly status?: UnifiedStatus | undefined;
  readonly contactId?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly numberId?: string | undefined;
  readonly batchId?: string | undefined;
  readonly sentByAccountId?: string | undefined;
}

/** A sorted list that is read piece by piece; undefined at its end. A piece may be empty. */
export type Source<T> = () => Promise<readonly T[] | undefined>;

/** A source with what was read of it and not yet taken. */
class Head<T> {
  readonly #source: Source<T>;
  #piece: readonly T[] = [];
  #at = 0;
  #ended = false;
  constructor(source: Source<T>) {
    this.#source = source;
  }
  /** Reads on until there is a first item, or the end. */
  async fill(): Promise<void> {
    while (this.#at >= this.#piece.length && !this.#ended) {
      const piece = await this.#source();
      this.#ended = piece === undefined;
      this.#piece = piece ?? [];
      this.#at = 0;
    }
  }
  first(): T | undefined {
    return this.#piece[this.#at];
  }
  take(): void {
    this.#at++;
  }
}

/**
 * The items `skip` to `skip + limit` of what lists, each sorted descending by `orderOf`, hold together. Reads of no list more than
 * the piece in which the page ends, whatever follows there.
 */
export const mergeNewest = async <T>(
  sources: readonly Source<T>[],
  orderOf: (item: T) => string,
  skip: number,
  limit: number,
): Promise<T[]> => {
  const heads = sources.map((source) => new Head(source));
  await Promise.all(heads.map((head) => head.fill()));
  const taken: T[] = [];
  let latest: Head<T> | undefined;
  for (let place = 0; place < skip + limit; place++) {
    // Only before an item is wanted: the last one of a page reads nothing that follows it.
    if (latest?.first() === undefined) await latest?.fill();
    let newest: Head<T> | undefined;
    let order = '';
    for (const head of heads) {
      const item = head.first();
      if (item === undefined || (newest && orderOf(item) <= order)) continue;
      newest = head;
      order = orderOf(item);
    }
    if (!newest) break;
    if (place >= skip) taken.push(newest.first() as T);
    newest.take();
    latest = newest;
  }
  return taken;
};

/** The condition on the statuses of the channels that a unified status stands for; an archived message is nothing else besides. */
const statusTerms = (status: UnifiedStatus): Condition => {
  if (status === 'archived') return { text: 'attribute_exists(#archivedAt)' };
  const meant = MESSAGE_STATUSES.filter((each) => UNIFIED_OF[each] === status);
  const names = meant.map((_, at) => `:status${at}`).join(', ');
  return {
    text: `attribute_not_exists(#archivedAt) AND #status IN (${names})`,
    values: Object.fromEntries(meant.map((each, at) => [`status${at}`, each])),
  };
};

const filterOf = ({ status, ...equal }: Readonly<Record<string, string | undefined>>): Condition | undefined => {
  const terms = Object.entries(equal).flatMap(([name, value]): Condition[] =>
    value === undefined ? [] : [{ text: `#${name} = :is_${name}`, values: { [`is_${name}`]: value } }],
  );
  if (status !== undefined) terms.push(statusTerms(status as UnifiedStatus));
  if (terms.length === 0) return undefined;
  return {
    text: terms.map(({ text }) => text).join(' AND '),
    values: Object.assign({}, ...terms.map(({ values }) => values ?? {})),
  };
};

/** The narrowest index of a channel that a filter names, and what is left to filter on it. */
const rangeOf = (organizationId: string, channel: Channel, filter: UnifiedFilter): QueryRange => {
  const { from: _, to: __, contactId, campaignId, ...rest } = filter;
  const sort = between(filter);
  let range: Pick<QueryRange, 'index' | 'partition'>;
  let left: Readonly<Record<string, string | undefined>> = rest;
  if (contactId !== undefined) {
    range = { index: 'gsi2', partition: FINDS.messagesOfContact(contactId, channel, '', '').gsi2pk };
    left = { ...rest, org: organizationId, campaignId };
  } else if (campaignId !== undefined)
    range = { index: 'gsi3', partition: FINDS.messagesOfCampaign(organizationId, campaignId, channel, '', '').gsi3pk };
  else range = { index: 'gsi1', partition: FINDS.messagesOf(organizationId, channel, '', '').gsi1pk };
  const condition = filterOf(left);
  return { ...range, ...(sort ? { sort } : {}), ...(condition ? { filter: condition } : {}) };
};

/** The keys of a range, newest first, piece by piece; of an unfiltered one never more in a piece than the page could take. */
const keysOf = (table: Table, range: QueryRange, most: number): Source<Row> => {
  let startKey: QueryRange['startKey'];
  let ended = false;
  const limit = range.filter ? MOST_PER_READ : Math.min(MOST_PER_READ, most);
  return async () => {
    if (ended) return undefined;
    const page = await table.query({
      ...range,
      newestFirst: true,
      only: ['pk', 'sk', `${range.index}sk`],
      limit,
      startKey,
    });
    startKey = page.nextKey;
    ended = startKey === undefined;
    return page.rows;
  };
};

/** What a channel's inbound messages are read by; undefined where the filter asks for what none of them has. */
const inboundRangeOf = (organizationId: string, channel: Channel, filter: UnifiedFilter): QueryRange | undefined => {
  const { status, contactId, campaignId, batchId, sentByAccountId, numberId } = filter;
  const sent = [campaignId, batchId, sentByAccountId].some((value) => value !== undefined);
  if (sent || (status !== undefined && status !== 'delivered')) return undefined;
  const sort = between(filter);
  const found =
    contactId === undefined
      ? { index: 'gsi1' as const, partition: FINDS.inboundOf(organizationId, channel, '', '').gsi1pk }
      : { index: 'gsi2' as const, partition: FINDS.inboundOfContact(contactId, channel, '', '').gsi2pk };
  const condition = filterOf({ numberId, ...(contactId === undefined ? {} : { org: organizationId }) });
  return { ...found, ...(sort ? { sort } : {}), ...(condition ? { filter: condition } : {}) };
};

/** The lists that may hold something for a filter, each with how many messages it ever took; those without any are not asked. */
const listsOf = async (table: Table, organizationId: string, filter: UnifiedFilter) => {
  const [read, inbound] = await Promise.all([
    readWallet(table, organizationId),
    readInboundCounts(table, organizationId),
  ]);
  return CHANNELS.flatMap((channel) => {
    const received = inboundRangeOf(organizationId, channel, filter);
    return [
      { range: rangeOf(organizationId, channel, filter), size: read?.wallet[channel] ?? 0 },
      ...(received ? [{ range: received, size: inbound[channel] ?? 0 }] : []),
    ].filter(({ size }) => size > 0);
  });
};

const NOTHING = { items: [], total: 0 };

/**
 * A page of an organization's messages of all channels, newest first: the keys are merged from the channels' own indexes, of what was
 * sent and of what came in, and one batch reads the page's rows. Lists of which nothing was ever stored are not asked. The unfiltered total is kept in counters, and the
 * page costs the same however many messages there are; a filtered total is counted on the narrow indexes.
 */
export const listAllMessages = async (
  table: Table,
  organizationId: string,
  filter: UnifiedFilter,
  { skip, limit }: { skip: number; limit: number },
): Promise<Page<StoredMessage>> => {
  if (isEmpty(filter)) return NOTHING;
  const lists = await listsOf(table, organizationId, filter);
  if (lists.length === 0) return NOTHING;
  const ranges = lists.map(({ range }) => range);
  const whole = ranges.every((range) => range.index === 'gsi1' && !range.sort && !range.filter);
  const counts = whole ? lists.map(({ size }) => size) : ranges.map((range) => table.count(range));
  const [keys, ...totals] = await Promise.all([
    mergeNewest(
      ranges.map((range) => keysOf(table, range, skip + limit)),
      (row) => String(row[`${ranges[0]?.index}sk`]),
      skip,
      limit,
    ),
    ...counts,
  ]);
  const rows = await fullRows(table, keys);
  return { items: rows.map(parseStored), total: totals.reduce((sum, count) => sum + count, 0) };
};

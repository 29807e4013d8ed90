import { MESSAGE_STATUSES, type MessageRecord } from '../domain/messages/message.ts';
import { CHANNELS, type Channel } from '../domain/messages/provider.ts';
import { UNIFIED_OF, type UnifiedStatus } from '../domain/messages/views.ts';
import { FINDS } from './access-patterns.ts';
import type { Condition } from './expressions.ts';
import { readWallet } from './ledger.ts';
import type { Page } from './message-lists.ts';
import { parseMessage } from './message-rows.ts';
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

const NOTHING = { items: [], total: 0 };

/**
 * A page of an organization's messages of all channels, newest first: the keys are merged from the channels' own indexes, and one batch
 * reads the page's rows. Channels of which nothing was ever stored are not asked. The unfiltered total is kept on the wallet, and the
 * page costs the same however many messages there are; a filtered total is counted on the narrow indexes.
 */
export const listAllMessages = async (
  table: Table,
  organizationId: string,
  filter: UnifiedFilter,
  { skip, limit }: { skip: number; limit: number },
): Promise<Page<MessageRecord>> => {
  if (isEmpty(filter)) return NOTHING;
  const read = await readWallet(table, organizationId);
  const channels = read ? CHANNELS.filter((channel) => read.wallet[channel] > 0) : [];
  if (!read || channels.length === 0) return NOTHING;
  const ranges = channels.map((channel) => rangeOf(organizationId, channel, filter));
  const whole = ranges.every((range) => range.index === 'gsi1' && !range.sort && !range.filter);
  const counts = whole ? channels.map((channel) => read.wallet[channel]) : ranges.map((range) => table.count(range));
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
  return { items: rows.map(parseMessage), total: totals.reduce((sum, count) => sum + count, 0) };
};

import type { Id } from '../../domain/core/ids.ts';
import type { DeliveryStore } from '../../domain/webhooks/ports.ts';
import { KEYS } from '../access-patterns.ts';
import { equal } from '../client/conditions.ts';
import { between, fullRows, isEmpty, newestPageOf, pageKeys } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import type { QueryRange, Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { attemptRows, readDelivery } from './delivery-rows.ts';

/** Index rows per query. */
const MAX_PER_QUERY = 1_000;
/** The maximum delay of the index, in ms, with a wide margin: a sequence number that is missing for longer was deleted. */
const INDEX_LAG_MS = 60_000;

/** Keys of the newest `max` matches within the `maxSearched` newest rows of a range. */
const newestKeys = async (table: Table, range: QueryRange, max: number, maxSearched: number): Promise<Row[]> => {
  const keys: Row[] = [];
  let startKey: QueryRange['startKey'];
  for (let read = 0; read < maxSearched && keys.length < max; read += MAX_PER_QUERY) {
    const page = await table.query({ ...range, newestFirst: true, only: ['pk', 'sk'], limit: MAX_PER_QUERY, startKey });
    keys.push(...page.rows);
    startKey = page.nextKey;
    if (!startKey) break;
  }
  return keys.slice(0, max);
};

const rangeOf = (
  webhookId: Id<'webhook'>,
  { status, ...window }: Parameters<DeliveryStore['newest']>[1],
): QueryRange => ({
  index: 'gsi2',
  partition: INDEX_KEYS.deliveriesOf(webhookId, '', '').gsi2pk,
  sort: between(window),
  filter: equal({ status }),
});

/** Reads of deliveries: one, its attempts, a page, the feed. */
export const deliveryReads = (table: Table): Pick<DeliveryStore, 'read' | 'attempts' | 'page' | 'newest' | 'feed'> => {
  const full = async (keys: readonly Row[]) => (await fullRows(table, keys)).map(readDelivery);
  return {
    async read(deliveryId) {
      const row = await table.get(KEYS.delivery(deliveryId));
      return row && readDelivery(row);
    },
    async attempts(deliveryId) {
      const { rows } = await table.query({
        partition: KEYS.delivery(deliveryId).pk,
        sort: { text: 'begins_with(#sk, :attempts)', values: { attempts: 'ATT#' } },
      });
      return rows.map(attemptRows.read);
    },
    async page(webhookId, filter, page) {
      if (isEmpty(filter)) return { items: [], total: 0 };
      return newestPageOf(table, rangeOf(webhookId, filter), page, readDelivery);
    },
    async newest(webhookId, filter, max, maxSearched = Number.POSITIVE_INFINITY) {
      return isEmpty(filter) ? [] : full(await newestKeys(table, rangeOf(webhookId, filter), max, maxSearched));
    },
    async feed(webhookId, after, limit, now) {
      const partition = INDEX_KEYS.eventsOf(webhookId, 0).gsi1pk;
      const from = INDEX_KEYS.eventsOf(webhookId, after + 1).gsi1sk;
      const keys = await pageKeys(
        table,
        { index: 'gsi1', partition, sort: { text: '#sk >= :from', values: { from } } },
        { skip: 0, limit },
      );
      const found = await full(keys);
      // The index may be delayed: what follows a gap is withheld, so that the caller sees no gap in the sequence. Sequence numbers are assigned in order: a gap
      // before a delivery older than the delay is one that was deleted.
      const firstGap = found.findIndex(
        ({ sequence, createdAt }, at) =>
          sequence !== (found[at - 1]?.sequence ?? after) + 1 && createdAt > now - INDEX_LAG_MS,
      );
      return firstGap < 0 ? found : found.slice(0, firstGap);
    },
  };
};

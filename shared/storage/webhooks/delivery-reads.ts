import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import type { DeliveryStore } from '../../domain/webhooks/ports.ts';
import { KEYS } from '../access-patterns.ts';
import { equal } from '../client/conditions.ts';
import { between, fullRows, isEmpty } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import type { QueryRange, Table } from '../client/table.ts';
import { deliveryPartitions } from '../partitions.ts';
import { attemptRows, deliveryRows, readDelivery } from './delivery-rows.ts';
import { readLog } from './feed-log.ts';

/** Index rows per query. */
const MAX_PER_QUERY = 1_000;

type Filter = Parameters<DeliveryStore['newest']>[1];

/** The ranges of a subscription's deliveries that match a filter, one a shard. */
const rangesOf = (webhookId: Id<'webhook'>, { status, ...window }: Filter): readonly QueryRange[] =>
  deliveryPartitions(webhookId).map((partition) => ({
    index: 'gsi2',
    partition,
    sort: between(window),
    filter: equal({ status }),
  }));

/** Index rows of the newest `max` matches within the `maxSearched` newest rows of a range. */
const newestOfRange = async (table: Table, range: QueryRange, max: number, maxSearched: number): Promise<Row[]> => {
  const rows: Row[] = [];
  let startKey: QueryRange['startKey'];
  for (let read = 0; read < maxSearched && rows.length < max; read += MAX_PER_QUERY) {
    const page = await table.query({
      ...range,
      newestFirst: true,
      only: ['pk', 'sk', 'gsi2sk'],
      limit: Math.min(MAX_PER_QUERY, range.filter ? MAX_PER_QUERY : max),
      startKey,
    });
    rows.push(...page.rows);
    startKey = page.nextKey;
    if (!startKey) break;
  }
  return rows.slice(0, max);
};

/** Reads of deliveries: one, its attempts, a page, the feed. */
export const deliveryReads = (table: Table): Pick<DeliveryStore, 'read' | 'attempts' | 'page' | 'newest' | 'feed'> => {
  /** Keys of the newest `max` matches of all shards, newest first. */
  const newestKeys = async (webhookId: Id<'webhook'>, filter: Filter, max: number, maxSearched: number) => {
    const ranges = rangesOf(webhookId, filter);
    const shards = await Promise.all(
      ranges.map((range) => newestOfRange(table, range, max, Math.ceil(maxSearched / ranges.length))),
    );
    const places = shards.flat().map((row) => ({ key: row, at: z.string().parse(row.gsi2sk) }));
    return places
      .sort((a, b) => (a.at < b.at ? 1 : -1))
      .slice(0, max)
      .map(({ key }) => key);
  };
  const full = async (keys: readonly Row[]) => (await fullRows(table, keys)).map(readDelivery);
  return {
    async read(deliveryId) {
      const row = await table.get(KEYS.delivery(deliveryId));
      return row && readDelivery(row);
    },
    async attempts(deliveryId) {
      const key = KEYS.delivery(deliveryId);
      const rows = new Map((await table.queryAll({ partition: key.pk })).map((row) => [row.sk, row]));
      const delivery = rows.get(key.sk);
      const { summaries = [] } = delivery ? deliveryRows.read(delivery) : {};
      return summaries.flatMap(({ claim }, at) => {
        const row = rows.get(KEYS.attempt(deliveryId, at + 1, claim).sk);
        return row ? [attemptRows.read(row)] : [];
      });
    },
    async page(webhookId, filter, { skip, limit }) {
      if (isEmpty(filter)) return { items: [], total: 0 };
      const [keys, totals] = await Promise.all([
        newestKeys(webhookId, filter, skip + limit, Number.POSITIVE_INFINITY),
        Promise.all(rangesOf(webhookId, filter).map((range) => table.count(range))),
      ]);
      return { items: await full(keys.slice(skip)), total: totals.reduce((sum, total) => sum + total, 0) };
    },
    async newest(webhookId, filter, max, maxSearched = Number.POSITIVE_INFINITY) {
      return isEmpty(filter) ? [] : full(await newestKeys(webhookId, filter, max, maxSearched));
    },
    feed: (webhookId, after, limit) => readLog(table, webhookId, after, limit),
  };
};

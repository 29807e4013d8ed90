import * as z from 'zod';
import type { DeliveryStore, KeptAttempt, StoredDelivery } from '../domain/webhooks/ports.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import { between, fullRows, isEmpty, pageKeys } from './pages.ts';
import type { QueryRange, Row, Table } from './table.ts';

const attemptRow = z.object({
  at: z.int(),
  status: z.int().optional(),
  durationMs: z.number(),
  exchange: z.string().optional(),
  error: z.string().optional(),
});

type Parse = (row: Row) => StoredDelivery;

const rangeOf = (
  webhookId: string,
  filter: { status?: string | undefined; from?: number; to?: number },
): QueryRange => {
  const window = between(filter);
  return {
    index: 'gsi2',
    partition: FINDS.deliveriesOf(webhookId, '', '').gsi2pk,
    ...(window ? { sort: window } : {}),
    ...(filter.status ? { filter: { text: '#status = :status', values: { status: filter.status } } } : {}),
  };
};

/** What is read of deliveries: one, its attempts, a page, the feed. */
export const deliveryReads = (
  table: Table,
  parse: Parse,
): Pick<DeliveryStore, 'read' | 'attempts' | 'page' | 'feed'> => {
  const full = async (keys: readonly Row[]) => (await fullRows(table, keys)).map(parse);
  return {
    async read(deliveryId) {
      const row = await table.get(KEYS.delivery(deliveryId));
      return row ? parse(row) : undefined;
    },
    async attempts(deliveryId): Promise<readonly KeptAttempt[]> {
      const { rows } = await table.query({
        partition: KEYS.delivery(deliveryId).pk,
        sort: { text: 'begins_with(#sk, :attempts)', values: { attempts: 'ATT#' } },
      });
      return rows.map((row) => attemptRow.parse(row));
    },
    async page(webhookId, filter, { skip, limit }) {
      if (isEmpty(filter)) return { items: [], total: 0 };
      const range = rangeOf(webhookId, filter);
      const [keys, total] = await Promise.all([
        pageKeys(table, { ...range, newestFirst: true }, skip, limit),
        table.count(range),
      ]);
      return { items: await full(keys), total };
    },
    async feed(webhookId, after, limit) {
      const partition = FINDS.eventsOf(webhookId, 0).gsi1pk;
      const from = FINDS.eventsOf(webhookId, after + 1).gsi1sk;
      const keys = await pageKeys(
        table,
        { index: 'gsi1', partition, sort: { text: '#sk >= :from', values: { from } } },
        0,
        limit,
      );
      const found = await full(keys);
      // The index may lag by a moment: what follows a gap is not given yet, so that the caller's sequence stays without one.
      const firstGap = found.findIndex((delivery, at) => delivery.sequence !== after + 1 + at);
      return firstGap < 0 ? found : found.slice(0, firstGap);
    },
  };
};

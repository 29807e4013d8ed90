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

/** Index rows that one query looks at. */
const LOOK = 1_000;
/** An index shows a row well within this after its write, in ms: a sequence that is missing for longer is no longer kept. */
const INDEX_LAG_MS = 60_000;

/** Keys of the newest `most` matches among the `look` newest rows of a range. */
const newestKeys = async (table: Table, range: QueryRange, most: number, look: number): Promise<Row[]> => {
  const keys: Row[] = [];
  let startKey: QueryRange['startKey'];
  for (let read = 0; read < look && keys.length < most; read += LOOK) {
    const page = await table.query({ ...range, newestFirst: true, only: ['pk', 'sk'], limit: LOOK, startKey });
    keys.push(...page.rows);
    startKey = page.nextKey;
    if (!startKey) break;
  }
  return keys.slice(0, most);
};

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
): Pick<DeliveryStore, 'read' | 'attempts' | 'page' | 'newest' | 'feed'> => {
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
    async newest(webhookId, filter, most, look = Number.POSITIVE_INFINITY) {
      return isEmpty(filter) ? [] : full(await newestKeys(table, rangeOf(webhookId, filter), most, look));
    },
    async feed(webhookId, after, limit, now) {
      const partition = FINDS.eventsOf(webhookId, 0).gsi1pk;
      const from = FINDS.eventsOf(webhookId, after + 1).gsi1sk;
      const keys = await pageKeys(
        table,
        { index: 'gsi1', partition, sort: { text: '#sk >= :from', values: { from } } },
        0,
        limit,
      );
      const found = await full(keys);
      // The index may lag by a moment: what follows a gap is not given yet, so that the caller's sequence stays without one. Sequences are
      // given out in order: a gap before a delivery that stands there for long is of one that is no longer kept.
      const firstGap = found.findIndex(
        ({ sequence, createdAt }, at) =>
          sequence !== (found[at - 1]?.sequence ?? after) + 1 && createdAt > now - INDEX_LAG_MS,
      );
      return firstGap < 0 ? found : found.slice(0, firstGap);
    },
  };
};

import { operatorEntry, STAGE_LOG } from '../../domain/audit/entry.ts';
import { isoTime, systemClock } from '../../domain/core/time.ts';
import { DEFAULT_PRICES } from '../../domain/pricing/default-prices.ts';
import { type PriceTable, PriceTableSchema } from '../../domain/pricing/prices.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import type { Table } from '../client/table.ts';

/** The price table in force, and its start. */
export interface PricesInForce {
  readonly effectiveFrom: string;
  readonly table: PriceTable;
}

/** The price table in force at a moment (ms); the default prices if the operator has set none. One query of one row. */
export const readPrices = async (table: Table, now: number): Promise<PricesInForce> => {
  const { rows } = await table.query({
    partition: 'PRICES',
    sort: { text: '#sk <= :now', values: { now: isoTime(now) } },
    newestFirst: true,
    limit: 1,
  });
  const row = rows[0];
  if (!row) return { effectiveFrom: isoTime(0), table: DEFAULT_PRICES };
  return { effectiveFrom: row.sk, table: PriceTableSchema.parse(row.prices) };
};

/** Sets a whole price table that applies from a moment on (ISO, UTC). Replaces the one with the same start. An act of the operator, at `now` (ms). */
export const putPrices = async (
  table: Table,
  effectiveFrom: string,
  prices: PriceTable,
  now = systemClock(),
): Promise<void> => {
  const details = { effectiveFrom, count: prices.length };
  await table.transact([
    { put: { ...KEYS.prices(effectiveFrom), prices: PriceTableSchema.parse(prices) } },
    ...auditWrites(operatorEntry(STAGE_LOG, { action: 'prices.set', object: 'prices', at: now, details })),
  ]);
};

/** How long a process caches the price table, in ms: how late an immediate change may take effect. */
const TRUST_MS = 5_000;

/** The prices, read at most once per 5 s and process. */
export const cachedPrices = (table: Table, clock: () => number): (() => Promise<PricesInForce>) => {
  let held: { at: number; prices: PricesInForce } | undefined;
  return async () => {
    const now = clock();
    if (!held || now - held.at > TRUST_MS || now < held.at) held = { at: now, prices: await readPrices(table, now) };
    return held.prices;
  };
};

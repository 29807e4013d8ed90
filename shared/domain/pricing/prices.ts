import * as z from 'zod';
import { asCoins, type Coins } from '../core/money.ts';

/** The unit that a price applies to. */
const PRICE_UNITS = ['segment', 'message', 'recipient', 'device', 'reply'] as const;

const band = z.strictObject({
  /** The last unit of the month in this band; null for the last band. */
  upTo: z.int().min(1).nullable(),
  /** Coins per unit. */
  coins: z.int().min(0).max(1_000_000_000),
});

const row = z
  .strictObject({
    channel: z.string().regex(/^[a-z]{2,20}$/),
    route: z.string().regex(/^[a-z_]{2,40}$/),
    unit: z.enum(PRICE_UNITS),
    bands: z.array(band).min(1).max(50),
  })
  .refine(
    ({ bands }) =>
      bands.every(({ upTo }, at) =>
        at === bands.length - 1 ? upTo === null : upTo !== null && upTo > (bands[at - 1]?.upTo ?? 0),
      ),
    'bands must rise, and the last must have upTo null',
  );

/** A complete price table, as an operator writes it. Each channel and route appears once. */
export const PriceTableSchema = z
  .array(row)
  .min(1)
  .max(500)
  .refine(
    (rows) => new Set(rows.map(({ channel, route }) => `${channel} ${route}`)).size === rows.length,
    'a channel and route may occur only once',
  );
export type PriceTable = z.output<typeof PriceTableSchema>;
export type PriceRow = PriceTable[number];

/** A band with its range: units `from` to `upTo` of the month cost `coins` each. */
export interface BandRange {
  readonly index: number;
  readonly from: number;
  readonly upTo: number | null;
  readonly coins: Coins;
}

export const bandRanges = (priceRow: PriceRow): readonly BandRange[] =>
  priceRow.bands.map(({ upTo, coins }, index) => ({
    index,
    from: (priceRow.bands[index - 1]?.upTo ?? 0) + 1,
    upTo,
    coins: asCoins(coins),
  }));

/** The band of the unit at a position; 1 is the first of the month. */
export const bandAt = (priceRow: PriceRow, position: number): BandRange => {
  const bands = bandRanges(priceRow);
  const found = bands.find(({ upTo }) => upTo === null || position <= upTo);
  if (!found) throw new RangeError('the last band of a price row has no end');
  return found;
};

/** A price and the range of monthly volumes for which it is exact. */
export interface Quote {
  /** Total price: the sum over all units. */
  readonly coins: Coins;
  /** The band of the first unit. */
  readonly band: BandRange;
  /** Valid while the month's prior volume is within `volumeFrom` to `volumeTo`, inclusive. */
  readonly volumeFrom: number;
  readonly volumeTo: number;
}

/**
 * Prices `units` after a prior volume of `volume` units this month. Within one band the quote is valid for every volume that keeps all
 * units in it; across a band edge, only for this exact volume (docs/spec/pricing.md#the-price-of-a-message).
 */
export const quoteUnits = (priceRow: PriceRow, units: number, volume: number): Quote => {
  const first = bandAt(priceRow, volume + 1);
  const last = bandAt(priceRow, volume + units);
  if (first.index === last.index)
    return {
      coins: asCoins(units * first.coins),
      band: first,
      volumeFrom: first.from - 1,
      volumeTo: first.upTo === null ? Number.MAX_SAFE_INTEGER : first.upTo - units,
    };
  let coins = 0;
  for (const { from, upTo, coins: each } of bandRanges(priceRow)) {
    const begin = Math.max(from, volume + 1);
    const end = Math.min(upTo ?? Number.MAX_SAFE_INTEGER, volume + units);
    if (end >= begin) coins += (end - begin + 1) * each;
  }
  return { coins: asCoins(coins), band: first, volumeFrom: volume, volumeTo: volume };
};

/** The price row of a channel and route, or undefined if the table has none. */
export const priceRowOf = (table: PriceTable, channel: string, route: string): PriceRow | undefined =>
  table.find((entry) => entry.channel === channel && entry.route === route);

import * as z from 'zod';
import { asCoins, type Coins } from '../money.ts';

/** What one price is for. */
export const PRICE_UNITS = ['segment', 'message', 'recipient', 'device', 'reply'] as const;

const band = z.strictObject({
  /** The last unit of the month in this band; null in the last band. */
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

/** A whole price table: what an operator writes and the service applies. A channel and route stand in it once. */
export const PriceTableSchema = z
  .array(row)
  .min(1)
  .max(500)
  .refine(
    (rows) => new Set(rows.map(({ channel, route }) => `${channel} ${route}`)).size === rows.length,
    'a channel and route may stand only once',
  );
export type PriceTable = z.output<typeof PriceTableSchema>;
export type PriceRow = PriceTable[number];

/** A band with its place in the month: units `from` to `upTo` cost `coins` each. */
export interface PlacedBand {
  readonly index: number;
  readonly from: number;
  readonly upTo: number | null;
  readonly coins: Coins;
}

/** A row's bands with their beginnings. */
export const placedBands = (priceRow: PriceRow): readonly PlacedBand[] =>
  priceRow.bands.map(({ upTo, coins }, index) => ({
    index,
    from: (priceRow.bands[index - 1]?.upTo ?? 0) + 1,
    upTo,
    coins: asCoins(coins),
  }));

/** The band that the unit at a position (1 is the month's first) falls into. */
export const bandAt = (priceRow: PriceRow, position: number): PlacedBand => {
  const bands = placedBands(priceRow);
  const found = bands.find(({ upTo }) => upTo === null || position <= upTo);
  if (!found) throw new RangeError('the last band of a price row has no end');
  return found;
};

/** A price, and the volumes for which it is right. */
export interface Quote {
  /** The sum of each unit's own price. */
  readonly coins: Coins;
  /** The band of the first unit. */
  readonly band: PlacedBand;
  /** The quote holds while the month's volume before it lies in `volumeFrom` to `volumeTo`, both included. */
  readonly volumeFrom: number;
  readonly volumeTo: number;
}

/**
 * Prices `units` that begin after `volume` units of the month. Inside one band the quote holds for every volume that keeps
 * all of its units there; across an edge it holds for that one volume only (interface 4.1, rule 6).
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
  for (const { from, upTo, coins: each } of placedBands(priceRow)) {
    const begin = Math.max(from, volume + 1);
    const end = Math.min(upTo ?? Number.MAX_SAFE_INTEGER, volume + units);
    if (end >= begin) coins += (end - begin + 1) * each;
  }
  return { coins: asCoins(coins), band: first, volumeFrom: volume, volumeTo: volume };
};

/** The row of a channel and route; undefined when the table has no price for it. */
export const priceRowOf = (table: PriceTable, channel: string, route: string): PriceRow | undefined =>
  table.find((entry) => entry.channel === channel && entry.route === route);

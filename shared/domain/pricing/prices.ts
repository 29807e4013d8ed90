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
    /** The leading digits of the phone numbers that the row prices, without the plus; absent: every recipient. */
    prefix: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'must be 1 to 15 digits of E.164, without the plus')
      .exactOptional(),
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

/** A table is stored as one item, of at most 400 KB. */
const MAX_TABLE_BYTES = 350_000;
const isStorable = (rows: readonly unknown[]) => Buffer.byteLength(JSON.stringify(rows)) <= MAX_TABLE_BYTES;

/** A complete price table, as an operator writes it. Each channel, route and prefix appears once. */
export const PriceTableSchema = z
  .array(row)
  .min(1)
  .max(3_000)
  .refine(
    (rows) =>
      new Set(rows.map(({ channel, route, prefix = '' }) => `${channel} ${route} ${prefix}`)).size === rows.length,
    'a channel, route and prefix may occur only once',
  )
  .refine(isStorable, `must not take more than ${MAX_TABLE_BYTES} bytes`);
export type PriceTable = z.output<typeof PriceTableSchema>;
/**
 * A row with the first positions of all bands of its channel's rows: they share a month's volume, so positions are
 * counted between those edges. Absent: the row's own.
 */
export type PriceRow = PriceTable[number] & { readonly edges?: readonly number[] };

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

/** The first positions of the bands between which a row's channel counts. */
export const edgesOf = (priceRow: PriceRow): readonly number[] =>
  priceRow.edges ?? bandRanges(priceRow).map(({ from }) => from);

/** The band of the unit at a position; 1 is the first of the month. */
export const bandAt = (priceRow: PriceRow, position: number): BandRange => {
  const bands = bandRanges(priceRow);
  const found = bands.find(({ upTo }) => upTo === null || position <= upTo);
  if (!found) throw new RangeError('the last band of a price row has no end');
  return found;
};

/** The first positions of every band that a row of a channel has: all rows share the month's volume. */
export const bandEdges = (table: PriceTable, channel: string): readonly number[] => {
  const rows = table.filter((entry) => entry.channel === channel);
  return [...new Set(rows.flatMap((entry) => bandRanges(entry).map(({ from }) => from)))].sort((a, b) => a - b);
};

/** The properties of a phone number that determine its price. */
export interface Destination {
  /** E.164 without the plus, or its first digits. */
  readonly digits: string;
  readonly callingCode: string;
  /** Whether it is in a range whose holder may earn a share of the fees. */
  readonly sharesRevenue: boolean;
}

/** Brazil: the default for prices without a recipient. */
export const HOME: Destination = { digits: '55', callingCode: '55', sharesRevenue: false };

type RowsByPrefix = ReadonlyMap<string, PriceRow>;
const routesByTable = new WeakMap<PriceTable, ReadonlyMap<string, RowsByPrefix>>();

const indexed = (table: PriceTable): ReadonlyMap<string, RowsByPrefix> => {
  const known = routesByTable.get(table);
  if (known) return known;
  const edges = new Map(
    [...new Set(table.map(({ channel }) => channel))].map((name) => [name, bandEdges(table, name)]),
  );
  const routes = new Map<string, Map<string, PriceRow>>();
  for (const entry of table) {
    const name = `${entry.channel} ${entry.route}`;
    const rows = routes.get(name) ?? new Map<string, PriceRow>();
    routes.set(name, rows.set(entry.prefix ?? '', { ...entry, edges: edges.get(entry.channel) ?? [] }));
  }
  routesByTable.set(table, routes);
  return routes;
};

/**
 * The price row of a channel and route for a destination, or undefined if there is none: the row with the longest
 * prefix that matches; a row without a prefix matches every number. A row for a whole country does not price its
 * revenue-sharing numbers. Takes as many steps as the number has digits.
 */
export const priceRowOf = (
  table: PriceTable,
  channel: string,
  route: string,
  { digits, callingCode, sharesRevenue }: Destination = HOME,
): PriceRow | undefined => {
  const rows = indexed(table).get(`${channel} ${route}`);
  const shortest = sharesRevenue ? callingCode.length + 1 : 1;
  for (let length = digits.length; length >= shortest; length--) {
    const found = rows?.get(digits.slice(0, length));
    if (found) return found;
  }
  return rows?.get('');
};

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { saoPauloMonth } from '../../shared/domain/core/time.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { bandAt, bandRanges, type PriceRow, PriceTableSchema, priceRowOf } from '../../shared/domain/pricing/prices.ts';
import { quoteUnits } from '../../shared/domain/pricing/volume.ts';

const SEED = 20_261_121;

const rowArbitrary: fc.Arbitrary<PriceRow> = fc
  .tuple(
    fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 4 }),
    fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 5, maxLength: 5 }),
  )
  .map(([widths, prices]) => {
    let edge = 0;
    const bands: PriceRow['bands'] = widths.map((width, at) => {
      edge += width;
      return { upTo: edge, coins: prices[at] ?? 0 };
    });
    bands.push({ upTo: null, coins: prices[4] ?? 0 });
    return { channel: 'sms', route: 'premium', unit: 'segment', bands };
  });

/** An oracle that prices position by position. */
const priceOneByOne = (row: PriceRow, volume: number, units: number): number => {
  let sum = 0;
  for (let position = volume + 1; position <= volume + units; position++) {
    const band = row.bands.find(({ upTo }) => upTo === null || position <= upTo);
    sum += band?.coins ?? Number.NaN;
  }
  return sum;
};

describe('a quote', () => {
  test('is the sum of the prices of its positions, also where a band ends inside the message', () => {
    fc.assert(
      fc.property(rowArbitrary, fc.nat({ max: 200 }), fc.integer({ min: 1, max: 30 }), (row, volume, units) => {
        expect(quoteUnits(row, units, { taken: volume, free: [] }).coins).toBe(priceOneByOne(row, volume, units));
      }),
      { seed: SEED, numRuns: 2_000 },
    );
  });

  test('has a volume range in which every volume has the same price', () => {
    fc.assert(
      fc.property(rowArbitrary, fc.nat({ max: 200 }), fc.integer({ min: 1, max: 30 }), (row, volume, units) => {
        const quote = quoteUnits(row, units, { taken: volume, free: [] });
        expect(quote.volumeFrom).toBeLessThanOrEqual(volume);
        expect(quote.volumeTo).toBeGreaterThanOrEqual(volume);
        for (let at = quote.volumeFrom; at <= Math.min(quote.volumeTo, quote.volumeFrom + 300); at++)
          expect(priceOneByOne(row, at, units)).toBe(quote.coins);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  test('names the band of its first position', () => {
    const row = priceRowOf(DEFAULT_PRICES, 'sms', 'premium') as PriceRow;
    expect(quoteUnits(row, 3, { taken: 99_998, free: [] })).toMatchObject({
      coins: 800 + 800 + 700,
      band: { index: 0 },
      volumeFrom: 99_998,
      volumeTo: 99_998,
    });
    expect(bandAt(row, 100_000).index).toBe(0);
    expect(bandAt(row, 100_001).index).toBe(1);
    expect(bandRanges(row).map(({ from }) => from)).toEqual([1, 100_001, 500_001, 2_000_001]);
  });
});

describe('a price table', () => {
  const band = (upTo: number | null, coins = 1) => ({ upTo, coins });
  const row = (bands: object) => ({ channel: 'sms', route: 'premium', unit: 'segment', bands });

  test('that ships with the service is valid, and a reply costs R$ 0.02', () => {
    expect(PriceTableSchema.safeParse(DEFAULT_PRICES).success).toBe(true);
    expect(priceRowOf(DEFAULT_PRICES, 'sms', 'reply')?.bands).toEqual([{ upTo: null, coins: 200 }]);
    expect(priceRowOf(DEFAULT_PRICES, 'sms', 'la_dedicada')).toBeUndefined();
  });

  test.each([
    ['bands that do not rise', [band(10), band(10), band(null)]],
    ['a last band with an end', [band(10)]],
    ['an endless band in the middle', [band(null), band(null)]],
    ['a price below zero', [band(null, -1)]],
    ['a price of half a coin', [band(null, 0.5)]],
  ])('with %s is refused', (_, bands) => {
    expect(PriceTableSchema.safeParse([row(bands)]).success).toBe(false);
  });

  test('with a channel and route twice is refused', () => {
    expect(PriceTableSchema.safeParse([row([band(null)]), row([band(null)])]).success).toBe(false);
  });
});

test.each([
  ['2026-03-01T02:59:59.999Z', '202602'],
  ['2026-03-01T03:00:00.000Z', '202603'],
  ['2027-01-01T02:59:59.999Z', '202612'],
  ['2027-01-01T03:00:00.000Z', '202701'],
])('the month of a volume is that of São Paulo: %s is in %s', (at, month) => {
  expect(saoPauloMonth(Date.parse(at))).toBe(month);
});

test('the month of a volume is right in every hour of thirty years, with daylight saving time and without', () => {
  const month = { timeZone: 'America/Sao_Paulo', year: 'numeric', month: '2-digit' } as const;
  const calendar = new Intl.DateTimeFormat('en-CA', month);
  const wrong: string[] = [];
  for (let at = Date.UTC(2005, 0); at < Date.UTC(2035, 0); at += 3_600_000)
    if (saoPauloMonth(at) !== calendar.format(at).replace('-', '')) wrong.push(new Date(at).toISOString());
  expect(wrong).toEqual([]);
});

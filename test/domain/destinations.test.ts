import fc from 'fast-check';
import parse from 'libphonenumber-js/max';
import plans from 'libphonenumber-js/max/metadata';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, test } from 'vitest';
import { COUNTRIES } from '../../shared/domain/core/countries.ts';
import { numberOrigin, parsePhone } from '../../shared/domain/core/phone.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { type PriceRow, type PriceTable, priceRowOf } from '../../shared/domain/pricing/prices.ts';
import { ZONES } from '../../shared/domain/pricing/zones.ts';
import { destinationOf } from '../../shared/domain/sending/destinations.ts';

const SEED = 20_270_105;
const CODES = plans.country_calling_codes as unknown as Readonly<Record<string, readonly string[]>>;
const codeOf = (country: string) => Object.keys(CODES).find((code) => CODES[code]?.includes(country)) ?? '';
const MOBILES = Object.entries(examples).map(([country, national]) => [country, `+${codeOf(country)}${national}`]);

const row = (prefix: string | undefined, coins: number): PriceRow => ({
  channel: 'sms',
  route: 'premium',
  ...(prefix === undefined ? {} : { prefix }),
  unit: 'segment',
  bands: [{ upTo: null, coins }],
});
const coinsOf = (table: PriceTable, to: string) =>
  priceRowOf(table, 'sms', 'premium', destinationOf(to))?.bands[0]?.coins;

/** An oracle that searches all rows. */
const longest = (table: PriceTable, to: string) => {
  const { digits, callingCode, sharesRevenue } = destinationOf(to);
  const own = table.filter(({ prefix }) => {
    if (prefix === undefined) return true;
    return digits.startsWith(prefix) && (!sharesRevenue || prefix.length > callingCode.length);
  });
  return own.toSorted((a, b) => (b.prefix ?? '').length - (a.prefix ?? '').length)[0];
};

const numbers = fc.oneof(
  fc.constantFrom(...MOBILES.map(([, number]) => number as string)),
  fc.constantFrom('+19002345678', '+447012345678', '+447641234567', '+5511987654321', '+881612345678', '+12423591234'),
  fc.stringMatching(/^\+[1-9][0-9]{6,14}$/),
);
const tables = fc
  .uniqueArray(fc.tuple(numbers, fc.nat({ max: 11 })), { maxLength: 30, selector: ([n, l]) => n.slice(1, l + 1) })
  .map((cuts) => cuts.map(([number, length], at) => row(length === 0 ? undefined : number.slice(1, length + 1), at)));

describe('the price of a destination', () => {
  test('is the one with the longest prefix, as in a search of all rows', () => {
    fc.assert(
      fc.property(tables, numbers, (table, to) => {
        expect(priceRowOf(table, 'sms', 'premium', destinationOf(to))?.bands).toBe(longest(table, to)?.bands);
      }),
      { seed: SEED, numRuns: 3_000 },
    );
  });

  test('of a whole country does not apply to its premium-rate, shared-cost and personal numbers', () => {
    const table = [row('44', 1), row('1', 2)];
    expect(['+447911123456', '+14155552671'].map((to) => coinsOf(table, to))).toEqual([1, 2]);
    expect(['+447012345678', '+449012345678', '+19002345678'].map((to) => coinsOf(table, to))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(coinsOf([...table, row('4470', 3)], '+447012345678')).toBe(3);
    expect(coinsOf([row(undefined, 4)], '+447012345678')).toBe(4);
  });
});

describe('the shipped prices', () => {
  const routes = ['premium', 'otp'].map((route) => ['sms', route] as const);
  const all = [...routes, ['rcs', 'easy_rcs'], ['rcs', 'easy_otp_rcs'], ['whatsapp', 'marketing']] as const;

  test.each(all)('have a price for a mobile of every country: %s %s', (channel, route) => {
    const without = MOBILES.filter(([, to = '']) => !priceRowOf(DEFAULT_PRICES, channel, route, destinationOf(to)));
    expect(without).toEqual([]);
    expect(MOBILES.length).toBeGreaterThan(230);
  });

  test('have each calling code of a country in exactly one zone', () => {
    const prefixes = Object.values(ZONES).flat();
    expect(prefixes.filter((prefix) => prefix.length <= 3 || !prefix.startsWith('1')).toSorted()).toEqual(
      Object.keys(CODES).toSorted(),
    );
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  test.each(['+870773123456', '+881612345678', '+88213111111', '+883510000000', '+878101234567890', '+979123456789'])(
    'have none for the worldwide network of %s',
    (to) => {
      expect(parsePhone(to)).toBe(to);
      for (const [channel, route] of all.slice(0, 4))
        expect(priceRowOf(DEFAULT_PRICES, channel, route, destinationOf(to))).toBeUndefined();
    },
  );

  test('have none for a number of any country that shares revenue', () => {
    const refused = /^(?:PREMIUM_RATE|SHARED_COST|PERSONAL_NUMBER|PAGER)$/;
    let found = 0;
    fc.assert(
      fc.property(numbers, (to) => {
        const parsed = parse(to);
        if (!parsed || !parsePhone(to) || !refused.test(String(parsed.getType()))) return;
        found += 1;
        expect([to, coinsOf(DEFAULT_PRICES, to)]).toEqual([to, undefined]);
      }),
      { seed: SEED, numRuns: 5_000 },
    );
    expect(found).toBeGreaterThan(100);
  });

  test('separate Caribbean countries and Kazakhstan from the neighbours of their calling code', () => {
    expect(coinsOf(DEFAULT_PRICES, '+14155552671')).toBeLessThan(coinsOf(DEFAULT_PRICES, '+18762101234') ?? 0);
    expect(coinsOf(DEFAULT_PRICES, '+14165552671')).toBe(coinsOf(DEFAULT_PRICES, '+14155552671'));
  });
});

describe('the country of a number', () => {
  test('is the one that the library finds, where calling codes are shared too', () => {
    fc.assert(
      fc.property(numbers, (to) => {
        if (!parsePhone(to)) return;
        expect([to, numberOrigin(to)?.country]).toEqual([to, parse(to)?.country]);
      }),
      { seed: SEED, numRuns: 3_000 },
    );
  });

  test.each([
    ['+14155552671', 'US'],
    ['+14165552671', 'CA'],
    ['+12423591234', 'BS'],
    ['+77012345678', 'KZ'],
    ['+79161234567', 'RU'],
    ['+447624123456', 'IM'],
    ['+447911123456', 'GG'],
    ['+447400123456', 'GB'],
    ['+881612345678', undefined],
  ])('%s is of %s', (to, country) => {
    expect(numberOrigin(to)?.country).toBe(country);
    expect(parse(to)?.number).toBe(to);
  });

  test('is one that an organization can name', () => {
    const known: ReadonlySet<string> = new Set(COUNTRIES);
    expect(Object.keys(plans.countries).filter((country) => !known.has(country))).toEqual([]);
  });
});

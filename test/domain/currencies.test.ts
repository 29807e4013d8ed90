import { expect, test } from 'vitest';
import { isCurrency } from '../../shared/domain/core/currencies.ts';

test('accepts every currency that the runtime knows', () => {
  const known = Intl.supportedValuesOf('currency');
  expect(known.length).toBeGreaterThan(150);
  expect(known.filter((code) => !isCurrency(code))).toEqual([]);
});

test.each(['CLF', 'UYW', 'CHE', 'XAU', 'XDR', 'XTS', 'XXX', 'XCG', 'HRK'])(
  'so are funds, metals, units of account and those that were withdrawn lately: %s',
  (code) => expect(isCurrency(code)).toBe(true),
);

test.each(['', 'brl', 'BR', 'BRLX', 'ZZZ', 'DEM', 'BRC', 'BTC', ' BRL', 'BRL EUR', '__proto__'])(
  'nothing else is: %j',
  (code) => expect(isCurrency(code)).toBe(false),
);

import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import parse from 'libphonenumber-js/max';
import plans from 'libphonenumber-js/max/metadata';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, it } from 'vitest';
import { maskEmail, maskPhone, parsePhone, phoneRegion } from '../../shared/domain/core/phone.ts';

const SEED = 20_260_302;

/** Whether the library finds a number valid as written; it also accepts numbers that it normalises, which do not count. */
const isValidByLibrary = (value: string): boolean => {
  const number = parse(value);
  return number?.isValid() === true && number.number === value && number.ext === undefined;
};
const agrees = (value: string): void => {
  expect([value, parsePhone(value) !== undefined]).toEqual([value, isValidByLibrary(value)]);
};

const AREAS = [
  11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 24, 27, 28, 31, 32, 33, 34, 35, 37, 38, 41, 42, 43, 44, 45, 46, 47, 48,
  49, 51, 53, 54, 55, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 73, 74, 75, 77, 79, 81, 82, 83, 84, 85, 86, 87, 88, 89,
  91, 92, 93, 94, 95, 96, 97, 98, 99,
];

describe('a recipient', () => {
  it('passes with every ending of the sandbox', () => {
    for (const ending of ['0005', '0006', '0008', '0013', '0018', '0021', '0025', '0099', '0114', '1234'])
      expect(parsePhone(`+551199999${ending}`)).toBe(`+551199999${ending}`);
  });

  it('in Brazil has one of the 67 area codes, for a nine-digit mobile as for an eight-digit landline', () => {
    expect(AREAS).toHaveLength(67);
    for (let area = 10; area <= 99; area++) {
      const known = AREAS.includes(area);
      expect([area, parsePhone(`+55${area}991234567`) !== undefined]).toEqual([area, known]);
      expect([area, parsePhone(`+55${area}22145678`) !== undefined]).toEqual([area, known]);
    }
  });

  it.each([
    ['old 8-digit mobile', '+551199991234'],
    ['unassigned mobile range', '+5511891234567'],
    ['one digit too many', '+55119999912345'],
    ['trunk zero', '+55011999991234'],
    ['NANP area 555', '+15555550123'],
    ['unknown country code', '+999123456789'],
  ])('that does not exist is refused: %s', (_, value) => expect(parsePhone(value)).toBeUndefined());

  const ABROAD = `
    +14155552671 +447911123456 +442079460018 +351912345678 +34612345678 +33612345678 +4915112345678 +390612345678
    +5491123456789 +525512345678 +56912345678 +573001234567 +59899123456 +8613800138000 +819012345678 +919876543210
    +244923123456 +29021580 +80012345678`;
  it.each(ABROAD.trim().split(/\s+/))('abroad is valid exactly where the library says so: %s', agrees);

  it('agrees with the library on its example of every country', () => {
    for (const [country, national] of Object.entries(examples)) {
      const code = (plans.countries as unknown as Record<string, [string]>)[country]?.[0];
      agrees(`+${code}${national}`);
    }
  });

  it('is never normalised', () => {
    const good = '+5511999990005';
    for (const bad of [
      good.slice(1),
      `00${good.slice(1)}`,
      `+ ${good.slice(1)}`,
      `${good} `,
      ` ${good}`,
      `${good}\n`,
      '+55 11 99999-0005',
      '+55(11)999990005',
      '\uff0b5511999990005',
      '+５５１１９９９９９０００５',
      '+٥٥١١٩٩٩٩٩٠٠٠٥',
      `\u200e${good}`,
      `\u202a${good}\u202c`,
      `${good}\u200b`,
      `tel:${good}`,
      `${good};ext=1`,
      `${good}x1`,
      `+${'9'.repeat(10_000)}`,
      '+',
      '',
      '+toString',
      '+__proto__',
    ])
      expect([bad, parsePhone(bad)]).toEqual([bad, undefined]);
  });

  it('agrees with the /max build on 60,000 random numbers of every calling code', () => {
    const codes = [...Object.keys(plans.country_calling_codes), ...Object.keys(plans.nonGeographic)];
    const number = fc
      .tuple(fc.constantFrom(...codes, '55', '55', '1', '44', '54', '52', '7'), fc.stringMatching(/^[0-9]{4,12}$/))
      .map(([code, national]) => `+${code}${national}`.slice(0, 16));
    fc.assert(fc.property(number, agrees), { seed: SEED, numRuns: 60_000 });
  });

  it('agrees with the /max build on Brazilian numbers of all leading digits', () => {
    for (const area of [11, 21, 55, 99, 10, 20, 80, 90, 30, 40])
      for (let first = 0; first < 100; first++)
        for (const tail of ['12345', '123456', '1234567']) agrees(`+55${area}${String(first).padStart(2, '0')}${tail}`);
  });

  it('is of the region BR or INTL', () => {
    expect([phoneRegion('+5511999990005'), phoneRegion('+14155552671')]).toEqual(['BR', 'INTL']);
    // Neighbours whose codes begin alike: Chile and Peru.
    expect([phoneRegion('+56221234567'), phoneRegion('+51987654321')]).toEqual(['INTL', 'INTL']);
  });
});

describe('a mask', () => {
  it.each([
    ['a Brazilian mobile', '+5511999991234', '+55119****1234'],
    ['a Brazilian landline', '+551132145678', '+5511****5678'],
    ['a number of the USA', '+14155552671', '+141****2671'],
    ['a German mobile', '+4915112345678', '+49151****5678'],
    ['a short number', '+6834002', '+6****02'],
    ['the shortest', '+29021', '+2****'],
    ['a short code', '28000', '****'],
    ['a number without its plus', '5511999991234', '****1234'],
    ['a name', 'LOJA', '****'],
  ])('keeps country, area and the last four: %s', (_, phone, masked) => expect(maskPhone(phone)).toBe(masked));

  it('always hides at least four digits of a number', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\+[1-9][0-9]{4,14}$/), (phone) => {
        const [head = '', tail = ''] = maskPhone(phone).split('****');
        expect(phone.startsWith(head) && phone.endsWith(tail)).toBe(true);
        expect(phone.length - head.length - tail.length).toBeGreaterThanOrEqual(4);
      }),
      { seed: SEED },
    );
  });

  it.each([
    ['maria@example.com', 'm***@example.com'],
    ['a@example.com', '***@example.com'],
    ['"a@b"@example.com', '"***@example.com'],
    ['none', '***'],
    ['@example.com', '***@example.com'],
  ])('of an e-mail keeps the first letter and the domain: %s', (address, masked) =>
    expect(maskEmail(address)).toBe(masked),
  );
});

it('a bundle that only masks phones contains no numbering plans', () => {
  const code = `import { maskPhone } from './shared/domain/core/phone.ts'; console.log(maskPhone('+5511999991234'))`;
  const options = ['--bundle', '--minify', '--format=esm', '--platform=node', '--log-level=error'];
  const bundle = execFileSync('node_modules/.bin/esbuild', options, { input: code, encoding: 'utf8' });
  expect(bundle.length).toBeLessThan(2_000);
});

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import plans from 'libphonenumber-js/max/metadata';
import examples from 'libphonenumber-js/mobile/examples';
import { afterAll, expect, it } from 'vitest';
import { compile } from '../../infra/build/compile.ts';
import { parsePhone } from '../../shared/domain/core/phone.ts';
import { tempDir } from '../support/local-stack.ts';

const root = join(import.meta.dirname, '../..');
const folder = await tempDir();
await compile({
  entryPoints: { phone: join(root, 'shared/domain/core/phone.ts') },
  outdir: folder,
  root,
  kind: 'sources',
});
const compiled: { parsePhone: typeof parsePhone } = await import(pathToFileURL(join(folder, 'phone.mjs')).href);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Variations of a country's example: each digit changed, one digit less and one more. */
const around = (national: string): string[] => {
  const changed = [...national].flatMap((digit, at) =>
    [1, 5].map((step) => national.slice(0, at) + ((Number(digit) + step) % 10) + national.slice(at + 1)),
  );
  return [national, ...changed, national.slice(1), `${national}0`];
};

it('the reduced numbering plans in a function accept the same numbers as the full ones, in every country', () => {
  const { country_calling_codes: codes, nonGeographic } = plans as unknown as Record<string, Record<string, string[]>>;
  const numbers = Object.entries(codes ?? {})
    .flatMap(([code, countries]) =>
      countries.flatMap((country) =>
        around((examples as Record<string, string>)[country] ?? '').map((n) => `+${code}${n}`),
      ),
    )
    .concat(Object.keys(nonGeographic ?? {}).flatMap((code) => around('12345678').map((n) => `+${code}${n}`)));
  expect(numbers.length).toBeGreaterThan(4_000);
  const accepted = (parse: typeof parsePhone) => numbers.filter((number) => parse(number) !== undefined);
  expect(accepted(compiled.parsePhone)).toEqual(accepted(parsePhone));
  expect(accepted(parsePhone).length).toBeGreaterThan(1_000);
});

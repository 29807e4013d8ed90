import { expect, it } from 'vitest';
import * as z from 'zod';
import { fieldErrors, zodErrorMap } from '../../shared/domain/core/zod-error-map.ts';

const contract = z.strictObject({
  name: z.string().min(1).max(5),
  route: z.enum(['premium', 'otp']).optional(),
  at: z.iso.datetime({ offset: true }).optional(),
  scopes: z.array(z.string()).min(1).optional(),
  count: z.int().min(0).max(9).optional(),
  code: z.string().regex(/^a$/, 'must be an a').optional(),
});
const errorsOf = (body: object): string[] =>
  (contract.safeParse(body, { error: zodErrorMap }).error?.issues ?? []).map(({ path, message }) =>
    [...path, message].join(' '),
  );

it.each([
  [{}, 'name is required'],
  [{ name: 5 }, 'name must be text'],
  [{ name: null }, 'name must be text'],
  [{ name: '' }, 'name must have at least 1 characters'],
  [{ name: 'abcdef' }, 'name must have at most 5 characters'],
  [{ name: 'a', route: 'x' }, 'route must be one of premium, otp'],
  [
    { name: 'a', at: '2026-01-01' },
    'at must be a date and time in ISO 8601 with its offset, such as 2026-03-02T14:05:09Z',
  ],
  [{ name: 'a', scopes: 'x' }, 'scopes must be a list'],
  [{ name: 'a', scopes: [] }, 'scopes must have at least 1 items'],
  [{ name: 'a', count: 1.5 }, 'count must be a whole number'],
  [{ name: 'a', count: 10 }, 'count must be at most 9'],
  [{ name: 'a', code: 'b' }, 'code must be an a'],
])('an error reads as a sentence after its field: %j', (body, sentence) => {
  expect(errorsOf(body)).toEqual([sentence]);
});

it('an unknown field is named by the path, unless its name may be personal data', () => {
  const given = { name: 'a', cpf: 3, 'ana@example.com': 1, q7Zx9Token: 1 };
  const { error } = contract.safeParse(given, { error: zodErrorMap });
  const message = 'is not a field of the contract, which has name, route, at, scopes, count, code';
  expect(error && fieldErrors(error)).toEqual([
    { path: 'cpf', message },
    { path: '*', message },
    { path: '*', message },
  ]);
});

it.each([
  ['endereço', 'endereço'],
  ['naïveté', 'naïveté'],
  ['nai\u0308vete\u0301', 'nai\u0308vete\u0301'],
  ['название', 'название'],
  ['名前', '名前'],
  ['código_postal', 'código_postal'],
  ['endereço2', '*'],
  ['joão@exemplo', '*'],
  ['Ana Conceição', '*'],
  ['٠١٢٣٤٥٦٧', '*'],
  ['🙂', '*'],
  ['é'.repeat(40), 'é'.repeat(40)],
  ['é'.repeat(41), '*'],
])('an unknown field is named in the letters of any script, and in no others: %s', (name, path) => {
  const { error } = contract.safeParse({ name: 'a', [name]: 1 }, { error: zodErrorMap });
  expect(error && fieldErrors(error).map((each) => each.path)).toEqual([path]);
});

it.each([
  ['preço', 'preço'],
  ['preço_2', 'preço_2'],
  ['joão@exemplo', '*'],
  ['11987654321', '*'],
])('so is a key of a map that the caller chose: %s', (key, path) => {
  const { error } = z.record(z.string(), z.number()).safeParse({ [key]: 'x' }, { error: zodErrorMap });
  expect(error && fieldErrors(error).map((each) => each.path)).toEqual([path]);
});

it('an unknown field is answered with the known names, without the sent one', () => {
  expect(errorsOf({ name: 'a', cpf: 3, 'ana@example.com': 1 })).toEqual([
    'is not a field of the contract, which has name, route, at, scopes, count, code',
  ]);
});

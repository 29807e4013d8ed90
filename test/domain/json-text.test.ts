import { expect, test } from 'vitest';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { readJson } from '../../shared/domain/core/json-text.ts';

const errorsOf = (text: string) => {
  const read = readJson(text, 'VALIDATION_ERROR');
  return isRefusal(read) ? [read.name, read.details.errors?.[0]] : [];
};

test.each([
  [
    'a number beyond a double',
    '{"body":{"total":1e400}}',
    { path: 'body.total', message: 'is too small or too large a number' },
  ],
  ['a number too small for the table', '{"variables":{"n":5e-324}}', expect.objectContaining({ path: 'variables.n' })],
  [
    'a whole number that was rounded',
    '{"variables":{"n":9007199254740993}}',
    { path: 'variables.n', message: 'must be within ±9007199254740991 when whole' },
  ],
  ['a NUL', '{"body":"a\\u0000"}', { path: 'body', message: 'must not contain NUL' }],
  ['a key with half a character', '{"metadata":{"\\ud800":1}}', expect.objectContaining({ path: 'metadata' })],
])('a body with %s is refused with its path', (_, text, error) => {
  expect(errorsOf(text)).toEqual(['VALIDATION_ERROR', error]);
});

test.each(['+5511987654321', 'ana@loja.example', 'ana maria'])(
  'a key that may be personal data (%s) is not repeated in the error',
  (key) => {
    expect(errorsOf(JSON.stringify({ [key]: { total: 0 } }).replace('0', '1e400'))).toEqual([
      'VALIDATION_ERROR',
      { path: expect.stringMatching(/^\*\.total$/), message: 'is too small or too large a number' },
    ]);
  },
);

test('a body is read to 64 levels, and refused beyond', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(isRefusal(readJson(nested(64), 'VALIDATION_ERROR'))).toBe(false);
  expect(readJson(nested(65), 'VALIDATION_ERROR')).toMatchObject({ name: 'BAD_REQUEST' });
});

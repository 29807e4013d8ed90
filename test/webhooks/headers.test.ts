import { validateHeaderName, validateHeaderValue } from 'node:http';
import { describe, expect, it } from 'vitest';
import { checkHeaders } from '../../shared/domain/webhooks/headers.ts';
import { fc } from '../support/fast-check.ts';

const check = (key: string, value = 'x') => checkHeaders([{ key, value }]);

describe('headers of a subscription', () => {
  it.each([
    'Authorization',
    'x-api-key',
    'X-Tenant',
    '__proto__',
    'a',
    "!#$%&'*+.^_`|~",
    'x'.repeat(128),
    'webhook',
    'x-webhook-id',
  ])('may be named %s', (key) => expect(check(key)).toBeUndefined());
  const RESERVED = `
    content-type content-length host connection user-agent transfer-encoding accept-encoding expect upgrade te trailer
    keep-alive webhook-id webhook-signature webhook-timestamp webhook- webhook-anything`;
  it.each(RESERVED.trim().split(/\s+/))('are not named %s in any case: the name is reserved', (key) => {
    const spellings = [key, key.toUpperCase(), key.replace(/[a-z]/, (letter) => letter.toUpperCase())];
    expect(spellings.map((spelling) => check(spelling))).toEqual(
      spellings.map(() => 'must not have a reserved header name (item 0)'),
    );
  });
  it.each(['', ' ', 'a b', 'a:', ':a', 'a\r\nb', 'a\n', '\0', 'é', 'ａ', 'a\t', '(a)', 'a/b', 'ⓗost', 'x'.repeat(129)])(
    'are not named %j',
    (key) => expect(check(key)).toMatch(/^must have a header name/),
  );
  it.each([
    'a\r\nx-injected: 1',
    'a\nb',
    'a\rb',
    'a\0b',
    '\u007f',
    '\u001b[31m',
    'é',
    '\u0085',
    '\u2028',
    '嘊嘍',
    '\ud800',
  ])('have no value %j', (value) => expect(check('x-a', value)).toMatch(/^must have a value of printable ASCII/));
  it('have values of up to 1,024 characters', () => {
    expect(check('x-a', 'v'.repeat(1_024))).toBeUndefined();
    expect(check('x-a', '')).toBeUndefined();
    expect(check('x-a', 'v'.repeat(1_025))).toBe('must have a value of at most 1024 characters (item 0)');
  });
  it('are at most 20, without duplicates', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => ({ key: `x-${index}`, value: '' }));
    expect(checkHeaders([])).toBeUndefined();
    expect(checkHeaders(many(20))).toBeUndefined();
    expect(checkHeaders(many(21))).toBe('must be at most 20');
    expect(checkHeaders([...many(2), { key: 'X-0', value: '' }])).toBe('must not repeat a header name (item 2)');
  });
  it('are not repeated in an error', () => {
    expect(checkHeaders([{ key: 'secret name', value: 'x' }])).not.toContain('secret');
    expect(checkHeaders([{ key: 'a', value: 'secret\n' }])).not.toContain('secret');
  });
  it('that pass the check can be sent by Node', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 });
    fc.assert(
      fc.property(text, text, (key, value) => {
        if (checkHeaders([{ key, value }])) return;
        validateHeaderName(key);
        validateHeaderValue(key, value);
      }),
      { numRuns: 5_000 },
    );
  });
});

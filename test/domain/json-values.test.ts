import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createDocument } from 'zod-openapi';
import { contactAttributesSchema, metadataSchema } from '../../shared/domain/core/json-values.ts';

const passes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

describe('metadata', () => {
  it.each([
    ['nothing', {}],
    ['20 keys', keys(20)],
    ['a key of 64 characters', { ['a'.repeat(64)]: 1 }],
    ['a text of 256 characters', { a: 'x'.repeat(256) }],
    ['every kind of key character', { 'A.b_c-9': true }],
    ['numbers', { a: 0, b: -1.5, c: 9_007_199_254_740_991 }],
    ['empty text', { a: '' }],
  ])('is unchanged with %s', (_, value) => expect(metadataSchema.parse(value)).toEqual(value));

  it.each([
    ['21 keys', keys(21)],
    ['a key of 65 characters', { ['a'.repeat(65)]: 1 }],
    ['a key that starts with a digit', { '1a': 1 }],
    ['an empty key', { '': 1 }],
    ['a key that ends in a line break', { 'a\n': 1 }],
    ['an accented key', { é: 1 }],
    ['a text of 257 characters', { a: 'x'.repeat(257) }],
    ['null', { a: null }],
    ['a list', { a: ['x'] }],
    ['an object', { a: {} }],
    ['infinity', { a: Number.POSITIVE_INFINITY }],
    ['NaN', { a: Number.NaN }],
    ['a number that was rounded', { a: 2 ** 53 }],
    ['a number too small for the table', { a: 1e-200 }],
    ['a text in its place', 'x'],
    ['a list in its place', []],
    ['null in its place', null],
  ])('is refused with %s', (_, value) => expect(passes(metadataSchema, value)).toBe(false));
});

describe('contact attributes', () => {
  it.each([
    [
      'text, number, boolean, null and a list',
      { plano: 'ouro', compras: 12, ativo: true, nada: null, gostos: ['a', 'b'] },
    ],
    ['accented keys with spaces', { 'última compra': 'ontem' }],
    ['100 keys', keys(100)],
    ['a list of 50', { a: Array.from({ length: 50 }, () => 'x'.repeat(256)) }],
  ])('are unchanged with %s', (_, value) => expect(contactAttributesSchema.parse(value)).toEqual(value));

  it.each([
    ['101 keys', keys(101)],
    ['a nested object', { a: { b: 1 } }],
    ['a list of numbers', { a: [1] }],
    ['a list of lists', { a: [['x']] }],
    ['a list of 51', { a: Array.from({ length: 51 }, () => 'x') }],
    ['a long text in a list', { a: ['x'.repeat(257)] }],
    ['a text of 1,025 characters', { a: 'x'.repeat(1_025) }],
    ['a control character in a key', { 'a\u0000': 1 }],
    ['an empty key', { '': 1 }],
  ])('are refused with %s', (_, value) => expect(passes(contactAttributesSchema, value)).toBe(false));
});

describe.each([
  ['metadata', metadataSchema],
  ['contact attributes', contactAttributesSchema],
])('%s', (_, schema) => {
  it('refuse __proto__ and accept constructor as plain data, without prototype pollution', () => {
    expect(passes(schema, JSON.parse('{"__proto__": "x"}'))).toBe(false);
    expect(passes(schema, JSON.parse('{"__proto__": {"polluted": "x"}}'))).toBe(false);
    const kept = schema.parse(JSON.parse('{"constructor": "x", "prototype": "y", "toString": "z"}')) as object;
    expect(JSON.stringify(kept)).toBe('{"constructor":"x","prototype":"y","toString":"z"}');
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('never repeat a sent value in their errors', () => {
    const result = schema.safeParse({ a: { secret: 'canary-value' }, 'canary\u0000key': 1 });
    expect(result.error?.issues.map(({ message }) => message).join()).not.toContain('canary');
  });

  it('are described in OpenAPI with their limits, in requests and responses', () => {
    const Body = z.object({ data: schema.optional() }).meta({ id: 'Body' });
    const json = { 'application/json': { schema: Body } };
    const document = createDocument({
      openapi: '3.1.0',
      info: { title: 't', version: '1' },
      paths: {
        '/x': { post: { requestBody: { content: json }, responses: { 200: { description: 'ok', content: json } } } },
      },
    });
    for (const [name, described] of Object.entries(document.components?.schemas ?? {})) {
      const data = (described as { properties: { data: Record<string, unknown> } }).properties.data;
      expect([name, data]).toEqual([
        name,
        expect.objectContaining({
          type: 'object',
          maxProperties: expect.any(Number),
          propertyNames: expect.objectContaining({ maxLength: 64 }),
          additionalProperties: { anyOf: expect.any(Array) },
          description: expect.any(String),
          example: expect.any(Object),
        }),
      ]);
    }
  });
});

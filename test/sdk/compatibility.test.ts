import { describe, expect, it } from 'vitest';
import { faultsOf, mayBreak } from '../../sdk/typescript/compatibility/check.ts';
import {
  type Contract,
  type ContractOperation,
  compareContracts,
} from '../../sdk/typescript/compatibility/compare-documents.ts';
import { checkContract } from '../../sdk/typescript/compatibility/main.ts';
import { releasedText } from '../../sdk/typescript/compatibility/released.ts';
import type { RULES } from '../../sdk/typescript/compatibility/rules.ts';
import type { Schema } from '../../sdk/typescript/compatibility/schema.ts';

const json = (schema: Schema) => ({ 'application/json': { schema } });
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: Record<string, Schema>, required: string[] = [], closed = false): Schema => ({
  type: 'object',
  properties,
  required,
  ...(closed ? { additionalProperties: false } : {}),
});
const text: Schema = { type: 'string' };
const whole: Schema = { type: 'integer' };

const contract = (
  operation: Partial<ContractOperation> = {},
  {
    schemas = {},
    path = '/things/{id}',
    webhooks = {},
  }: { schemas?: Record<string, Schema>; path?: string; webhooks?: Contract['webhooks'] } = {},
): Contract => ({
  paths: {
    [path]: {
      post: {
        operationId: 'things.make',
        responses: { 200: { content: json(text) } },
        security: [{ bearer: [] }],
        ...operation,
      },
    },
  },
  webhooks,
  components: { schemas, parameters: {}, responses: {} },
});
const request = (schema: Schema, schemas: Record<string, Schema> = {}) =>
  contract({ requestBody: { content: json(schema) } }, { schemas });
const answer = (schema: Schema, schemas: Record<string, Schema> = {}) =>
  contract({ responses: { 200: { content: json(schema) } } }, { schemas });
const rules = (before: Contract, after: Contract) => compareContracts(before, after).map(({ rule }) => rule);
const query = (required: boolean, schema: Schema = text) =>
  contract({ parameters: [{ in: 'query', name: 'q', required, schema }] });
const event = (type: string) =>
  contract({}, { webhooks: { [type]: { post: { requestBody: { content: json(text) } } } } });

/** For each rule: a breaking change, and a similar one that breaks no client. */
const CASES: Readonly<
  Record<keyof typeof RULES, readonly [before: Contract, after: Contract, isHarmless: [Contract, Contract]]>
> = {
  'operation-removed': [
    contract(),
    contract({}, { path: '/other' }),
    [contract(), contract({}, { path: '/things/{thingId}' })],
  ],
  'operation-renamed': [contract(), contract({ operationId: 'things.create' }), [contract(), contract()]],
  'credential-required': [contract({ security: [] }), contract(), [contract(), contract({ security: [] })]],
  'scope-changed': [
    contract({ 'x-required-scope': 'a:read' }),
    contract({ 'x-required-scope': 'a:write' }),
    [contract({ 'x-required-scope': 'a:read' }), contract({ security: [] })],
  ],
  'parameter-removed': [query(false), contract(), [contract(), query(false)]],
  'parameter-required': [query(false), query(true), [query(true), query(false)]],
  'body-required': [
    contract({ requestBody: { content: json(text) } }),
    contract({ requestBody: { required: true, content: json(text) } }),
    [
      contract({ requestBody: { required: true, content: json(text) } }),
      contract({ requestBody: { content: json(text) } }),
    ],
  ],
  'body-removed': [
    contract({ requestBody: { content: { 'image/png': {}, 'image/gif': {} } } }),
    contract({ requestBody: { content: { 'image/png': {} } } }),
    [
      contract({ requestBody: { content: { 'image/png': {} } } }),
      contract({ requestBody: { content: { 'image/png': {}, 'image/gif': {} } } }),
    ],
  ],
  'answer-removed': [
    contract({ responses: { 200: { content: { ...json(text), 'text/csv': {} } } } }),
    contract({ responses: { 200: { content: json(text) } } }),
    [answer(text), contract({ responses: { 200: { content: json(text) }, 201: { content: json(text) }, 404: {} } })],
  ],
  'event-removed': [event('a.made'), event('a.gone'), [contract(), event('a.made')]],
  'request-field-removed': [
    request(object({ a: text, b: text }, [], true)),
    request(object({ a: text }, [], true)),
    [request(object({ a: text }, [], true)), request(object({ a: text, b: text }, [], true))],
  ],
  'request-field-required': [
    request(object({ a: text }, [])),
    request(object({ a: text }, ['a'])),
    [request(object({ a: text }, ['a'])), request(object({ a: text }))],
  ],
  'request-value-removed': [
    request({ type: 'string', enum: ['a', 'b'] }),
    request({ type: 'string', enum: ['a'] }),
    [request({ type: 'string', const: 'a' }), request({ type: 'string', enum: ['a', 'b'] })],
  ],
  'request-type-narrowed': [
    request({ type: ['string', 'null'] }),
    request(text),
    [request(whole), request({ anyOf: [{ type: 'number' }, { type: 'null' }] })],
  ],
  'request-bound-narrowed': [
    request({ type: 'string', maxLength: 9, pattern: 'a' }),
    request({ type: 'string', maxLength: 8, pattern: 'a' }),
    [
      request({ type: 'string', minLength: 2, maxLength: 8, format: 'email' }),
      request({ type: 'string', minLength: 1, maxLength: 9 }),
    ],
  ],
  'response-field-removed': [
    answer(object({ a: text })),
    answer(object({})),
    [answer(object({})), answer(object({ a: text }))],
  ],
  'response-field-optional': [
    answer(object({ a: text }, ['a'])),
    answer(object({ a: text })),
    [answer(object({ a: text })), answer(object({ a: text }, ['a']))],
  ],
  'response-type-widened': [
    answer(text),
    answer({ type: ['string', 'null'] }),
    [answer({ type: ['number', 'null'] }), answer(whole)],
  ],
  'response-value-added': [
    answer({ type: 'string', enum: ['a'] }),
    answer({ type: 'string', enum: ['a', 'b'] }),
    [answer({ type: 'string', enum: ['a', 'b'] }), answer({ type: 'string', const: 'a' })],
  ],
  'response-kind-added': [
    answer({ oneOf: [object({ kind: { const: 'a' } })] }),
    answer({ oneOf: [object({ kind: { const: 'a' } }), object({ kind: { const: 'b' } })] }),
    [
      answer({ oneOf: [object({ kind: { const: 'a' } }), object({ kind: { const: 'b' } })] }),
      answer(object({ kind: { const: 'a' } })),
    ],
  ],
};

describe('a difference that clients notice is found', () => {
  it.each(Object.entries(CASES))('%s, and the opposite is none', (rule, [before, after, [one, other]]) => {
    expect(rules(before, after)).toEqual([rule]);
    expect(rules(one, other)).toEqual([]);
    expect(rules(before, before)).toEqual([]);
  });

  it.each([
    ['in a list', (schema: Schema): Schema => ({ type: 'array', items: schema })],
    ['in an object', (schema: Schema) => object({ field: schema }, ['field'])],
    ['in an object of free keys', (schema: Schema): Schema => ({ type: 'object', additionalProperties: schema })],
    ['in one shape of a union', (schema: Schema): Schema => ({ anyOf: [whole, { type: 'array', items: schema }] })],
    [
      'in a kind of a union',
      (schema: Schema): Schema => ({
        oneOf: [object({ kind: { const: 'x' }, a: schema }), object({ kind: { const: 'y' } })],
      }),
    ],
  ])('however deep it is: %s', (_, wrapped) => {
    const [few, many]: Schema[] = [
      { type: 'string', enum: ['a'] },
      { type: 'string', enum: ['a', 'b'] },
    ] as const;
    if (!few || !many) throw new Error('unreachable');
    expect(rules(request(wrapped(many)), request(wrapped(few)))).toEqual(['request-value-removed']);
    expect(rules(answer(wrapped(few)), answer(wrapped(many)))).toEqual(['response-value-added']);
    expect(rules(request(wrapped(few)), request(wrapped(many)))).toEqual([]);
    expect(rules(answer(wrapped(many)), answer(wrapped(few)))).toEqual([]);
  });

  it('once for a named schema, by its name, also in a circle', () => {
    const tree = (value: Schema) => ({
      Tree: object({ value, children: { type: 'array', items: ref('Tree') } }, ['value']),
    });
    const before = answer(object({ one: ref('Tree'), other: ref('Tree') }), tree(whole));
    const after = answer(object({ one: ref('Tree'), other: ref('Tree') }), tree({ type: 'number' }));
    expect(compareContracts(before, after)).toEqual([
      { rule: 'response-type-widened', place: 'Tree.value', detail: 'number' },
    ]);
  });

  it('also where another shape of a union has the schema that changed', () => {
    const [two, one] = [object({ other: text, part: ref('Part') }), object({ part: ref('Part') })];
    const before = answer({ anyOf: [two, one] }, { Part: object({ value: whole }) });
    const after = answer(one, { Part: object({ value: text }) });
    expect(rules(before, after)).toEqual(['response-type-widened']);
  });

  it.each([
    [{ minLength: 1 }, 'minLength none → 1'],
    [{ pattern: '^a' }, 'pattern none → ^a'],
    [{ format: 'email' }, 'format none → email'],
  ])('a bound that a request did not have: %j', (bound, detail) => {
    expect(compareContracts(request(text), request({ type: 'string', ...bound }))).toEqual([
      { rule: 'request-bound-narrowed', place: 'things.make body', detail },
    ]);
  });

  it('a date that is answered as something else', () => {
    expect(rules(answer({ type: 'string', format: 'date-time' }), answer(text))).toEqual(['response-type-widened']);
  });

  it('in a header that becomes required, such as an idempotency key', () => {
    const key = (required: boolean) =>
      contract({ parameters: [{ in: 'header', name: 'Idempotency-Key', required, schema: text }] });
    expect(rules(key(false), key(true))).toEqual(['parameter-required']);
    expect(rules(contract(), key(false))).toEqual([]);
  });
});

describe('a version', () => {
  const broken = compareContracts(answer(object({ a: text })), answer(object({})));
  const added = compareContracts(answer({ type: 'string', enum: ['a'] }), answer({ type: 'string', enum: ['a', 'b'] }));
  const changelog = (version: string, place: string) =>
    `# Changelog\n\n## ${version}\n\n- \`${place}\` changed.\n\n## 0.1.0\n\nFirst.\n`;

  it.each([
    ['0.1.0', '0.1.9', false],
    ['0.1.9', '0.2.0', true],
    ['0.9.0', '1.0.0', true],
    ['1.2.3', '1.9.0', false],
    ['1.2.3', '2.0.0', true],
  ])('%s → %s may break callers: %s', (released, next, may) => expect(mayBreak(released, next)).toBe(may));

  it('that breaks callers must have a matching version number, and name the path in the changelog', () => {
    const place = 'things.make answer.a';
    const faults = (next: string, text: string) => faultsOf(broken, { released: '0.1.0', next, changelog: text });
    expect(faults('0.1.1', changelog('0.1.1', place))[0]).toContain('Version 0.1.1 may not break clients of 0.1.0.');
    expect(faults('0.2.0', changelog('0.2.0', 'things.make answer.b'))[0]).toContain(
      'has to name `things.make answer.a`',
    );
    expect(faults('0.2.0', changelog('0.1.9', place))).toHaveLength(1);
    expect(faults('0.2.0', changelog('0.2.0', place))).toEqual([]);
  });

  it('that returns a new value only needs a new version number, and the changelog names the path', () => {
    const faults = (next: string, text: string) => faultsOf(added, { released: '0.1.0', next, changelog: text });
    expect(faults('0.1.0', changelog('0.1.0', 'things.make answer'))).toHaveLength(1);
    expect(faults('0.1.1', changelog('0.1.1', 'things.make body'))).toHaveLength(1);
    expect(faults('0.1.1', changelog('0.1.1', 'things.make answer'))).toEqual([]);
  });
});

it('the comparison ignores descriptions of a released contract', () => {
  const schema = object({ description: { type: 'string', description: 'A text.' }, default: { ...whole, default: 1 } });
  const kept = JSON.parse(releasedText('1.0.0', answer({ ...schema, description: 'A thing.', example: { a: 1 } })));
  expect(kept.version).toBe('1.0.0');
  expect(kept.paths['/things/{id}'].post.responses[200].content['application/json'].schema).toEqual(
    object({ description: text, default: whole }),
  );
  expect(rules(kept, answer(schema))).toEqual([]);
});

it('openapi.json breaks no client of the version that was released last', () => {
  expect(checkContract()).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { PROBLEMS } from '../../shared/domain/core/errors.ts';
import { ASSETS } from '../../shared/openapi/assets.ts';
import { GUIDE_NAMES, guidePage } from '../../shared/openapi/guides.ts';
import { escapeHtml } from '../../shared/openapi/html.ts';
import { problemPage } from '../../shared/openapi/problem-page.ts';
import type { Content, OpenApiDocument, Schema } from '../../shared/openapi/reference/model.ts';
import { referenceOf } from '../../shared/openapi/reference/pages.ts';
import { ROOT } from './support.ts';

const document: OpenApiDocument = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));
const reference = referenceOf(document);
const pages = new Map(reference.names.map((name) => [name, reference.find(name) ?? '']));
const pageOf = (name: string): string => pages.get(name) ?? '';
/** The first group of each match. */
const allOf = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);
const mainOf = (text: string): string => text.slice(text.indexOf('<main'), text.indexOf('</main>'));
/** The text of the first element that a pattern begins, without its tags. */
const textOf = (text: string, pattern: RegExp): string =>
  (pattern.exec(text)?.[1] ?? '').replaceAll(/<[^>]+>/g, '').trim();
/** The row of a field, by its anchor. */
const rowOf = (page: string, anchor: string): string =>
  page.slice(page.indexOf(`<tr id="${anchor}">`)).split('</tr>')[0] ?? '';

/** The page at an address of this host; undefined if there is none. */
const served = (address: string): string | undefined => {
  if (address === '/docs') return reference.find();
  if (address === '/openapi.json') return '';
  const [, query] = address.split('/docs?page=');
  if (query !== undefined) return pages.get(query);
  const [, kind, name = ''] = /^\/docs\/(guides|errors|assets)\/([^/]+)$/.exec(address) ?? [];
  if (kind === 'guides') return guidePage(name);
  if (kind === 'errors') return problemPage(name);
  return kind === 'assets' && ASSETS.has(name) ? '' : undefined;
};

/** The headings of guides have no ids. */
const isGuide = (address: string): boolean => address.startsWith('/docs/guides/');

const nameOf = ($ref: string): string => $ref.split('/').at(-1) ?? '';

/** The names of fields in place, and those of schemas that are referred to, at any depth. */
const partsOf = (schema: Schema, found = { fields: new Set<string>(), schemas: new Set<string>() }) => {
  if (schema.$ref !== undefined) found.schemas.add(nameOf(schema.$ref));
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    found.fields.add(name);
    partsOf(field, found);
  }
  const values = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? []), ...values];
  for (const one of schema.items ? [...inner, schema.items] : inner) partsOf(one, found);
  return found;
};

/** Names every field that the schema has in place, and leads to each schema that it refers to. */
const expectShown = (name: string, schema: Schema): void => {
  const main = mainOf(pageOf(name));
  const rows = new Set(allOf(main, /<th scope="row"><code>([^<]*)<\/code>/g));
  const links = new Set(allOf(main, /<a href="([^"]*)"/g));
  const { fields, schemas } = partsOf(schema);
  expect(
    [...fields].filter((field) => !rows.has(field)),
    name,
  ).toEqual([]);
  expect(
    [...schemas].filter((one) => !links.has(`/docs?page=schema.${one}`)),
    name,
  ).toEqual([]);
};

const schemasOf = (content: Content = {}): readonly Schema[] =>
  Object.values(content).flatMap(({ schema }) => (schema ? [schema] : []));

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

describe('the reference', () => {
  it('has a page of its own for every operation, area, event and schema', () => {
    const { tags, webhooks, components } = document;
    const kinds = [
      OPERATIONS,
      tags,
      Object.keys(webhooks),
      Object.keys(components.schemas),
      ['all', 'events', 'schemas'],
    ];
    expect(new Set(reference.names).size).toBe(kinds.reduce((sum, { length }) => sum + length, 0));
    for (const { id } of OPERATIONS) expect(pages.get(id), id).toContain('</html>');
  });

  it('shows the method, path, summary, scope and problems of every operation', () => {
    for (const { path, method, operation } of operations) {
      const { operationId: id, summary, responses } = operation;
      const page = pageOf(id);
      expect(textOf(page, /<h1>(.*?)<\/h1>/), id).toBe(escapeHtml(summary));
      expect(textOf(page, /<p class="route">(.*?)<\/p>/), id).toBe(`${method} ${path}`);
      expect(textOf(page, /<ul class="badges">(.*?)<\/ul>/), id).toContain(operation['x-required-scope'] ?? '');
      for (const { name } of document.tags) expect(page, id).toContain(`>${name}</a>`);
      const answers = page.slice(page.indexOf('id="responses"'));
      for (const status of Object.keys(responses)) expect(answers, id).toContain(`>${status}</`);
      const problems = Object.keys(responses).filter((status) => status >= '4');
      const linked = allOf(answers, /<td><a href="([^"]*)"/g);
      expect(linked.length, id).toBe(problems.length);
      for (const address of linked) expect(address).toMatch(/^\/docs\/errors\//);
    }
  });

  it('names every parameter, and every field of bodies and answers, or leads to the schema that does', () => {
    for (const { operation } of operations) {
      const { operationId: id, parameters = [], requestBody, responses } = operation;
      const named = parameters.map((one) => ('$ref' in one ? document.components.parameters[nameOf(one.$ref)] : one));
      const properties = Object.fromEntries(named.map((one) => [one?.name ?? '', one?.schema ?? {}]));
      expectShown(id, { properties });
      for (const schema of schemasOf(requestBody?.content)) expectShown(id, schema);
      for (const response of Object.values(responses))
        if (!('$ref' in response)) for (const schema of schemasOf(response.content)) expectShown(id, schema);
    }
    for (const [type, { post }] of Object.entries(document.webhooks))
      for (const schema of schemasOf(post.requestBody?.content)) expectShown(`event.${type}`, schema);
    for (const [name, schema] of Object.entries(document.components.schemas)) expectShown(`schema.${name}`, schema);
  });

  it('states the limits, the default and the example of a field', () => {
    const page = pageOf('schema.V1Send');
    const { maxLength, example } = document.components.schemas.V1Send?.properties?.text ?? {};
    const row = rowOf(page, 'schema.text');
    expect(row).toContain(`1 to ${maxLength?.toLocaleString('en-US')} characters`);
    expect(row).toContain(`Example: <code>${String(example)}</code>`);
    expect(row).not.toContain('class="required"');
    expect(rowOf(page, 'schema.to')).toContain('class="required"');
    expect(rowOf(pageOf('messages.list'), 'query.limit')).toContain('default <code>');
  });

  it('is not made of a document that refers to a schema that is not there', () => {
    const { V1Send: _, ...schemas } = document.components.schemas;
    const broken = referenceOf({ ...document, components: { ...document.components, schemas } });
    expect(() => broken.find('v1.send')).toThrow('#/components/schemas/V1Send is not in the document.');
  });

  it('shows a schema that contains itself by a link to its page', () => {
    const page = pageOf('schema.SegmentFilterTree');
    expect(page).toContain('see <a href="/docs?page=schema.SegmentFilterTree">SegmentFilterTree</a>');
  });

  it('leads from /docs to every page, and no link on any page leads nowhere', () => {
    const reached = new Set(['/docs']);
    const broken: string[] = [];
    for (const address of reached) {
      const text = served(address) ?? '';
      for (const target of allOf(text, / (?:href|src)="([^"]*)"/g)) {
        if (/^(?:https:|data:,$)/.test(target)) continue;
        const [to = '', fragment] = target.split('#');
        const page = to === '' ? text : served(to);
        const isThere =
          page !== undefined &&
          (fragment === undefined || isGuide(to || address) || page.includes(` id="${fragment}"`));
        if (!isThere) broken.push(`${address} → ${target}`);
        if (to !== '') reached.add(to);
      }
    }
    expect(broken).toEqual([]);
    const missed = reference.names.filter((name) => !reached.has(`/docs?page=${name}`));
    expect(missed).toEqual([]);
    expect(GUIDE_NAMES.filter((name) => !reached.has(`/docs/guides/${name}`))).toEqual([]);
    const errors = Object.keys(PROBLEMS).map((name) => `/docs/errors/${name.toLowerCase().replaceAll('_', '-')}`);
    expect(errors.filter((address) => !reached.has(address))).toEqual([]);
  });

  it('gives no two elements of a page the same id', () => {
    for (const [name, text] of pages) {
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        name,
      ).toEqual([]);
    }
  });

  it('has no page that is large, so that each opens at once', () => {
    for (const [name, text] of pages) expect(Buffer.byteLength(text), name).toBeLessThan(256_000);
  });
});

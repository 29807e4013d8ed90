import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { html, trusted } from '../../shared/openapi/html.ts';
import { curlOf } from '../../shared/openapi/reference/calls.ts';
import { modelOf, type OpenApiDocument } from '../../shared/openapi/reference/model.ts';
import { referenceOf } from '../../shared/openapi/reference/pages.ts';
import { ROOT } from './support.ts';

const text = readFileSync(join(ROOT, 'openapi.json'), 'utf8');
const document: OpenApiDocument = JSON.parse(text);

const EVIL = `"'><img src=x onerror=alert(1)><script>alert(1)</script>[a](javascript:alert(1))![b](https://evil.example/b.png)`;
/** Of the document's own grammar; every other text is of people. */
const GRAMMAR = new Set(['$ref', 'type', 'in', 'openapi', 'operationId', 'format']);

/** The document with markup in each of its texts: descriptions, examples, patterns, values, and the names of fields. */
const spoiled = (value: unknown, key = ''): unknown => {
  if (typeof value === 'string') return GRAMMAR.has(key) ? value : `${value}${EVIL}`;
  if (Array.isArray(value)) return value.map((one) => spoiled(one, key === 'type' ? key : ''));
  if (typeof value !== 'object' || value === null) return value;
  const rename = key === 'properties' || key === 'content' || key === 'headers';
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [rename ? `${name}${EVIL}` : name, spoiled(one, rename ? '' : name)]),
  );
};

describe('a page of the reference', () => {
  const evil = spoiled({ ...document, components: { ...document.components, headers: {} } }) as OpenApiDocument;
  const reference = referenceOf({
    ...evil,
    components: { ...evil.components, headers: document.components.headers },
  });
  const NAMES = ['v1.send', 'messages.list', 'messages', 'all', 'schemas', 'event.message.failed', 'schema.Problem'];

  it.each(['/docs', ...reference.names.filter((name) => NAMES.some((one) => name.startsWith(one)))])(
    '%s shows markup in any text of a contract as text',
    (name) => {
      const page = name === '/docs' ? reference.find() : reference.find(name);
      const $ = load(page ?? '');
      expect($('main').text()).toContain('<img src=x onerror=alert(1)>');
      expect($('img, [onerror], iframe, style, [style]').length).toBe(0);
      expect(
        $('script')
          .toArray()
          .map((script) => $(script).attr('src')),
      ).toEqual(['/docs/assets/reader.js']);
      const addresses = $('[href]')
        .toArray()
        .map((link) => $(link).attr('href') ?? '');
      expect(addresses.filter((address) => !/^(?:\/(?!\/)|#|data:,$)/.test(address))).toEqual([]);
    },
  );

  it('of every operation has no element that markup in a contract could make', () => {
    for (const name of reference.names) expect(reference.find(name), name).not.toMatch(/<img|<script(?! src="\/docs)/);
  });
});

describe('html', () => {
  it('escapes what is put into it, in texts and attributes, but for HTML', () => {
    expect(html`<a title="${`"'<&>`}">${'<b>'}${trusted('<i>')}${[html`${'&'}`]}${undefined}${0}</a>`.text).toBe(
      '<a title="&quot;&#39;&lt;&amp;&gt;">&lt;b&gt;<i>&amp;0</a>',
    );
  });
});

/** The arguments that a shell passes to curl, for each of the commands. */
const argumentsOf = (commands: readonly string[]): string[][] => {
  const script = `curl() { printf '%s\\0' "$@"; printf '\\1\\0'; }\nURL=https://host KEY=key\n${commands.join('\n')}`;
  const output = execFileSync('bash', ['-c', script], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return output
    .split('\u0001\0')
    .slice(0, -1)
    .map((one) => one.split('\0').slice(0, -1));
};

describe('the curl command of an operation', () => {
  const model = modelOf(document);
  const entries = [...model.entries.values()];
  const calls = argumentsOf(entries.map((entry) => curlOf(model, entry)));

  it('names its method, an address without open parameters, and the credential if it needs one', () => {
    expect(calls.length).toBe(entries.length);
    entries.forEach(({ method, operation: { operationId: id, security } }, index) => {
      const [call = []] = [calls[index]];
      const address = call.find((one) => one.startsWith('https://host/'));
      expect(address, id).toBeDefined();
      expect(address, id).not.toMatch(/[{}]/);
      expect(call.includes('-X') ? call[call.indexOf('-X') + 1] : 'GET', id).toBe(method);
      expect(call.includes('Authorization: Bearer key'), id).toBe(security?.length !== 0);
    });
  });

  it("sends the contract's example, as it stands there, through any shell", () => {
    let bodies = 0;
    entries.forEach(({ operation: { operationId: id, requestBody } }, index) => {
      const example = requestBody?.content['application/json']?.example;
      if (example === undefined) return;
      const call = calls[index] ?? [];
      expect(JSON.parse(call[call.indexOf('-d') + 1] ?? ''), id).toEqual(example);
      bodies += 1;
    });
    expect(bodies).toBeGreaterThan(50);
  });

  it('keeps a quote in a body', () => {
    const entry = model.entries.get('messages.create');
    if (!entry) throw new Error('There is no messages.create.');
    const body = { text: `it's "$KEY" \\ \`id\`` };
    const operation = { ...entry.operation, requestBody: { content: { 'application/json': { example: body } } } };
    const [call = []] = argumentsOf([curlOf(model, { ...entry, operation })]);
    expect(JSON.parse(call.at(-1) ?? '')).toEqual(body);
  });
});

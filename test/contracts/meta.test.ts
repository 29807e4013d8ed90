import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { PROBLEMS, type ProblemName } from '../../shared/domain/core/errors.ts';
import { GUIDE_NAMES } from '../../shared/openapi/guides.ts';
import { escapeHtml } from '../../shared/openapi/html.ts';
import { problemType } from '../../shared/runtime/problem.ts';
import { changed, loadHandler } from './support.ts';

const run = async (id: string, params?: Record<string, string>, query: Record<string, string> = {}) => {
  const contract = OPERATIONS.find((operation) => operation.id === id);
  if (!contract) throw new Error(`There is no operation ${id}.`);
  const event = { ...changed(contract, { query }), pathParameters: params ?? null };
  return (await loadHandler(contract))(event, {} as never);
};

it('health answers with the stage, without a credential and without a table', async () => {
  const { statusCode, body } = await run('meta.health');
  expect([statusCode, JSON.parse(body)]).toEqual([200, { status: 'ok', stage: 'test' }]);
});

describe('documentation', () => {
  it('serves the committed document', async () => {
    const { statusCode, body, headers } = await run('meta.openapi');
    expect(statusCode).toBe(200);
    expect(headers?.['content-type']).toBe('application/json');
    const { openapi, paths } = JSON.parse(body);
    expect(openapi).toBe('3.1.0');
    // The document describes its own response too.
    expect(paths['/openapi.json'].get.responses[200].content).toEqual({
      'application/json': { schema: { type: 'object' } },
    });
  });

  it('is a page that loads files of its own host alone', async () => {
    const { body, headers } = await run('meta.docs');
    const loaded = [...body.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, address = '']) => address)
      .filter((address) => address !== 'data:,' && !address.startsWith('#'));
    expect(loaded.length).toBeGreaterThan(2);
    for (const address of loaded) {
      expect(address).toMatch(/^\/(?!\/)/);
      const file = /^\/docs\/assets\/(.+)$/.exec(address)?.[1];
      if (file) expect((await run('meta.docs-asset', { file })).statusCode, file).toBe(200);
    }
    expect(headers?.['content-security-policy']).toContain("default-src 'none'");
    expect(headers?.['content-security-policy']).not.toMatch(/https?:|unsafe/);
    expect(body).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>/);
  });

  it('serves the style and the script of its pages', async () => {
    const [script, style] = await Promise.all([
      run('meta.docs-asset', { file: 'reader.js' }),
      run('meta.docs-asset', { file: 'docs.css' }),
    ]);
    expect(script.headers?.['content-type']).toMatch(/^text\/javascript/);
    expect(style.headers?.['content-type']).toMatch(/^text\/css/);
    expect(script.body.length).toBeGreaterThan(500);
    expect(style.body).toContain('light-dark(');
  });

  it('has a page for each operation', async () => {
    for (const { id, summary } of OPERATIONS) {
      const { statusCode, body, headers } = await run('meta.docs', undefined, { page: id });
      expect([id, statusCode]).toEqual([id, 200]);
      expect(headers?.['content-type']).toMatch(/^text\/html/);
      expect(body).toContain(`<h1>${escapeHtml(summary)}</h1>`);
    }
  });

  it.each(['nothing', 'constructor', '__proto__', 'schema.constructor', '../all', '<script>'])(
    'has no page %s of the reference, and repeats nothing of it',
    async (name) => {
      const { statusCode, body } = await run('meta.docs', undefined, { page: name });
      expect(statusCode).toBe(404);
      expect(JSON.parse(body).detail).toBe('There is no such page of the reference.');
    },
  );

  it.each(['../openapi.json', 'constructor', '__proto__', 'nothing.js'])('has no asset %s', async (file) => {
    expect((await run('meta.docs-asset', { file })).statusCode).toBe(404);
  });
});

describe('guides', () => {
  const FOLDER = new URL('../../docs/guides/', import.meta.url);

  it('are all served: one page for each file', () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.md'));
    const names = files.map((file) => (file === 'README.md' ? 'overview' : file.slice(0, -'.md'.length)));
    expect([...GUIDE_NAMES].sort()).toEqual(names.sort());
  });

  it.each(GUIDE_NAMES)(
    '%s is a page without inline scripts, whose links lead to pages that are served',
    async (guide) => {
      const { statusCode, body, headers } = await run('meta.docs-guide', { guide });
      expect(statusCode).toBe(200);
      expect(headers?.['content-type']).toMatch(/^text\/html/);
      expect(body).toMatch(/<main id="main">\s*<div class="prose"><h1/);
      expect(body).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>/);
      const links = [...body.matchAll(/href="([^"]+)"/g)].map(([, address = '']) => address);
      expect(links).toContain('/docs');
      for (const link of links.filter((address) => address.startsWith('/docs/'))) {
        const [, kind, name = ''] = /^\/docs\/(guides|assets)\/([\w.-]+)/.exec(link) ?? [];
        const params = kind === 'guides' ? { guide: name } : { file: name };
        const { statusCode: status } = await run(kind === 'guides' ? 'meta.docs-guide' : 'meta.docs-asset', params);
        expect([link, status]).toEqual([link, 200]);
      }
    },
  );

  it('show every block of commands as it stands in the file', async () => {
    const source = readFileSync(new URL('first-message.md', FOLDER), 'utf8');
    const { body } = await run('meta.docs-guide', { guide: 'first-message' });
    const text = body
      .replace(/&quot;/g, '"')
      .replace(/&#39;/g, "'")
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>');
    const blocks = [...source.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block = '']) => block.trim());
    expect(blocks.length).toBeGreaterThan(3);
    for (const block of blocks) expect(text.replace(/&amp;/g, '&')).toContain(block);
  });

  it.each(['README', '__proto__', 'constructor', 'nothing'])('has none called %s', async (guide) => {
    expect((await run('meta.docs-guide', { guide })).statusCode).toBe(404);
  });
});

describe('error pages', () => {
  it.each(Object.keys(PROBLEMS) as ProblemName[])(
    'the type of %s is the URL of a page that says what to do',
    async (name) => {
      const code = problemType(name).replace('/docs/errors/', '');
      const { statusCode, body, headers } = await run('meta.docs-error', { code });
      expect(statusCode).toBe(200);
      expect(headers?.['content-type']).toMatch(/^text\/html/);
      expect(body).toContain(String(PROBLEMS[name].status));
      expect(body).toContain('What to do');
    },
  );

  it('repeats nothing of an unknown URL', async () => {
    const { statusCode, body } = await run('meta.docs-error', { code: '<script>alert(1)</script>' });
    expect(statusCode).toBe(404);
    expect(JSON.parse(body).detail).not.toContain('script');
  });
});

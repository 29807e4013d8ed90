import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { buildConsole } from '../../infra/build/console.ts';
import { PREVIEW_HEADERS, PREVIEW_PAGE, PREVIEW_PATH } from '../../infra/console/preview.ts';
import { startMessaging } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { use } from '../support/use.ts';

const consoleDir = join(tmpdir(), 'console-dist');
const { folder } = await buildConsole({ root: join(import.meta.dirname, '../..'), outDir: consoleDir });
const { anonymous, tenant } = await use(startMessaging({ consoleDir }));
/** Where files of imports are put. */
const uploadOrigin = async () => {
  const { test: client } = await tenant();
  const { body } = await client.post('/contacts/import/jobs', { format: 'csv', onConflict: 'skip', size: 6 });
  return new URL(body.upload.url).origin;
};

describe('the page', () => {
  test('comes under a policy that lets only its own scripts run, with a nonce of its own for styles', async () => {
    const bucket = await uploadOrigin();
    const nonces = new Set<string>();
    for (const path of ['/console', '/console/', '/console/messages/msg_1', '/console/../console/x']) {
      const { status, headers, text } = await anonymous.get(path);
      expect(status, path).toBe(200);
      const policy = headers.get('content-security-policy') ?? '';
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      expect(policy).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self' ${bucket}; frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
      );
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
      });
      expect(text).toContain(`nonce="${nonce}"`);
      expect(text).not.toContain('__CSP_NONCE__');
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(4);
  });

  test('is answered to GET and HEAD alone', async () => {
    expect(await anonymous.call('HEAD', '/console/')).toMatchObject({ status: 200, text: '' });
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      expectProblem(await anonymous.call(method, '/console/'), 405);
  });
});

describe("the preview's page", () => {
  test('comes under a policy of its own, which lets the content do nothing', async () => {
    const { status, headers, text } = await anonymous.get(PREVIEW_PATH);
    expect(status).toBe(200);
    expect(text).toBe(PREVIEW_PAGE);
    expect(Object.fromEntries(headers)).toMatchObject(PREVIEW_HEADERS);
    expect(await anonymous.call('HEAD', PREVIEW_PATH)).toMatchObject({ status: 200, text: '' });
    expectProblem(await anonymous.call('POST', PREVIEW_PATH), 405);
  });
});

describe('a file', () => {
  test('is cached permanently, since its name contains its hash; a missing file is not answered with the page', async () => {
    const { text } = await anonymous.get('/console/');
    const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? '';
    const answer = await anonymous.get(script);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    for (const path of ['/console/assets/nothing.js', '/console/assets/', '/console/assets/..%2findex.html'])
      expectProblem(await anonymous.get(path), 404);
    for (const path of ['/console/manifest.json', '/console/..%2f..%2fpackage.json'])
      expect((await anonymous.get(path)).headers.get('content-type'), path).toBe('text/html; charset=utf-8');
  });
});

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}
const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Record<string, Chunk>;
const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry) ?? '';
/** The files that are loaded with a chunk, its imports and styles included. */
const filesOf = (name: string, seen = new Set<string>()): Set<string> => {
  const { file = '', css = [], imports = [] } = manifest[name] ?? {};
  for (const each of [file, ...css]) seen.add(each);
  for (const each of imports) filesOf(each, seen);
  return seen;
};
type Compress = (content: Buffer) => Buffer;
const sizeOf = async (files: Iterable<string>, compress: Compress): Promise<number> => {
  let size = 0;
  for (const file of ['index.html', ...files]) size += compress(await readFile(join(folder, file))).length;
  return size;
};
/** As CloudFront compresses, and as it does for browsers of before brotli. */
const brotli: Compress = (content) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
const gzip: Compress = (content) => gzipSync(content);

describe('the budget', () => {
  test('of the first page is 200 KB, compressed either way, and of what a page adds to it 60 KB', async () => {
    const first = filesOf(entry);
    for (const compress of [gzip, brotli]) expect(await sizeOf(first, compress)).toBeLessThan(200_000);
    for (const page of manifest[entry]?.dynamicImports ?? []) {
      const added = [...filesOf(page)].filter((file) => !first.has(file));
      expect(await sizeOf(added, brotli), page).toBeLessThan(60_000);
    }
  });

  test('holds no area: each page is a chunk that is loaded when it is opened', () => {
    const first = filesOf(entry);
    const pages = manifest[entry]?.dynamicImports ?? [];
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(first.has(manifest[page]?.file ?? ''), page).toBe(false);
  });
});

import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { buildConsole } from '../build/console.ts';
import { cacheControl, FILE_HEADERS, NONCE_PLACEHOLDER, pageHeaders } from '../console/page.ts';
import { PREVIEW_HEADERS, PREVIEW_PAGE, PREVIEW_PATH } from '../console/preview.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const PATH = /^\/console(?:\/|$)/;

interface StaticFile {
  readonly content: Buffer;
  readonly compressed: Buffer;
  readonly type: string;
}
interface Site {
  readonly page: string;
  /** By their paths below `/console/`. Unlisted files are not served. */
  readonly files: ReadonlyMap<string, StaticFile>;
}

const read = async (folder: string): Promise<Site> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, StaticFile>();
  for (const entry of entries) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const content = await readFile(file);
    const compressed = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
    files.set(relative(folder, file).replaceAll('\\', '/'), { content, compressed, type });
  }
  return { page: await readFile(join(folder, 'index.html'), 'utf8'), files };
};

/** Serves the console. */
export interface ConsoleServer {
  /** Whether a path is the console's. */
  serves(path: string): boolean;
  /** Answers GET and HEAD; false for a missing file. Throws if the console cannot be built. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
}

/** The site, built on first use, so that it does not delay the start. A failed build is retried. */
const siteOf = (options: { readonly root: string; readonly outDir?: string | undefined }): (() => Promise<Site>) => {
  let site: Promise<Site> | undefined;
  return () => {
    site ??= buildConsole(options).then(({ folder }) => read(folder));
    site.catch(() => {
      site = undefined;
    });
    return site;
  };
};

const accepts = ({ headers }: IncomingMessage, encoding: string): boolean =>
  String(headers['accept-encoding'] ?? '').includes(encoding);

/** Serves the console like the deployed edge: its files, and for every other path its page with a nonce. */
export const consoleServer = (options: {
  readonly root: string;
  readonly outDir?: string | undefined;
  /** Origins that the page may send files to. */
  readonly connect: () => readonly string[];
}): ConsoleServer => {
  const site = siteOf(options);
  return {
    serves: (path) => PATH.test(path),
    async answer(request, response, path) {
      if (path === PREVIEW_PATH) {
        response.writeHead(200, { ...PREVIEW_HEADERS, 'content-length': Buffer.byteLength(PREVIEW_PAGE) });
        response.end(request.method === 'HEAD' ? undefined : PREVIEW_PAGE);
        return true;
      }
      const { page, files } = await site();
      const name = path.slice('/console/'.length);
      const file = files.get(name);
      if (!file && name.startsWith('assets/')) return false;
      const nonce = randomBytes(18).toString('base64');
      const brotli = file !== undefined && accepts(request, 'br');
      const content = file ? (brotli ? file.compressed : file.content) : page.replaceAll(NONCE_PLACEHOLDER, nonce);
      const headers = file
        ? { ...FILE_HEADERS, 'content-type': file.type, 'cache-control': cacheControl(name), vary: 'accept-encoding' }
        : pageHeaders(nonce, options.connect());
      response.writeHead(200, {
        ...headers,
        ...(brotli ? { 'content-encoding': 'br' } : {}),
        'content-length': Buffer.byteLength(content),
      });
      response.end(request.method === 'HEAD' ? undefined : content);
      return true;
    },
  };
};

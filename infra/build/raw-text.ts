import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** JSON without the spaces that make it readable: of `openapi.json` they are 44 %. */
const compact = (path: string, text: string): string =>
  path.endsWith('.json') ? JSON.stringify(JSON.parse(text)) : text;

/** esbuild plugin for `import text from './file?raw'`: the file's text, as Vite resolves the same import in tests; JSON is compact. */
export const rawText: Plugin = {
  name: 'raw-text',
  setup(build) {
    build.onResolve({ filter: /\?raw$/ }, async ({ path, importer, resolveDir, kind }) => {
      const resolved = await build.resolve(path.slice(0, -'?raw'.length), { importer, resolveDir, kind });
      return resolved.errors.length > 0 ? { errors: resolved.errors } : { path: resolved.path, namespace: 'raw-text' };
    });
    build.onLoad({ filter: /.*/, namespace: 'raw-text' }, async ({ path }) => ({
      contents: compact(path, await readFile(path, 'utf8')),
      loader: 'text',
    }));
  },
};

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire, registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { documentForTypes, type OpenApiDocument } from './document.ts';

// The generator needs TypeScript's JavaScript API, which the project's own compiler, the native one, does not have.
const compiler = pathToFileURL(createRequire(import.meta.url).resolve('typescript')).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' && context.parentURL?.includes('@hey-api')
      ? { url: compiler, shortCircuit: true }
      : next(specifier, context),
});

/** The types of all bodies, queries and answers, with the contract's descriptions as doc comments. */
export const generateTypes = async (document: OpenApiDocument): Promise<string> => {
  const { createClient } = await import('@hey-api/openapi-ts');
  const folder = await mkdtemp(join(tmpdir(), 'sdk-types-'));
  try {
    await createClient({
      input: documentForTypes(document),
      output: { path: folder, clean: false, entryFile: false },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    });
    return await readFile(join(folder, 'types.gen.ts'), 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
};

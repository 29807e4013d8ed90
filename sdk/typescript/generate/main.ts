import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenApiDocument } from './document.ts';
import { generateEvents } from './events.ts';
import { generateOperations } from './operations.ts';
import { generateTypes } from './types.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The generated files of the SDK, by their path in the repository. */
export const generate = async (document: OpenApiDocument): Promise<Readonly<Record<string, string>>> => {
  const types = await generateTypes(document);
  return {
    'sdk/typescript/src/generated/types.gen.ts': types,
    'sdk/typescript/src/generated/events.gen.ts': generateEvents(document),
    'sdk/typescript/src/generated/operations.gen.ts': generateOperations(document, types),
  };
};

if (import.meta.main) {
  const document: OpenApiDocument = JSON.parse(await readFile(join(ROOT, 'openapi.json'), 'utf8'));
  for (const [path, content] of Object.entries(await generate(document))) await writeFile(join(ROOT, path), content);
}

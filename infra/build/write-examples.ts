import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { exampleFiles } from './example-files.ts';

/** Writes the example events of every operation and queue. */
const folder = join(import.meta.dirname, '../../events');
const files = exampleFiles(OPERATIONS);
for (const [name, text] of files) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}
console.log(`${files.size} example events`);

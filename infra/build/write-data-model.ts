import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataModel } from './data-model.ts';

/** Writes `docs/data-model.md`. */
const root = join(import.meta.dirname, '../..');
mkdirSync(join(root, 'docs'), { recursive: true });
writeFileSync(
  join(root, 'docs/data-model.md'),
  dataModel(readFileSync(join(root, 'shared/storage/access-patterns.ts'), 'utf8')),
);
console.log('docs/data-model.md');

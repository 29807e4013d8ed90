import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataModel, dataModelSource } from './data-model.ts';

/** Writes `docs/data-model.md`. */
const root = join(import.meta.dirname, '../..');
mkdirSync(join(root, 'docs'), { recursive: true });
writeFileSync(join(root, 'docs/data-model.md'), dataModel(dataModelSource(root)));
console.log('docs/data-model.md');

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDocument } from './project-document.ts';

/** `npm run openapi`: writes `openapi.json`. */
const root = join(import.meta.dirname, '../..');
const text = projectDocument(root);
writeFileSync(join(root, 'openapi.json'), text);
console.log(`openapi.json: ${Object.keys(JSON.parse(text).paths).length} paths`);

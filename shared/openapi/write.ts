import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectCollection, projectDocument } from './project-document.ts';

/** `npm run openapi`: writes `openapi.json`, and `docs/postman.json` from it. */
const root = join(import.meta.dirname, '../..');
const text = projectDocument(root);
writeFileSync(join(root, 'openapi.json'), text);
mkdirSync(join(root, 'docs'), { recursive: true });
writeFileSync(join(root, 'docs/postman.json'), projectCollection(text));
console.log(`openapi.json: ${Object.keys(JSON.parse(text).paths).length} paths`);

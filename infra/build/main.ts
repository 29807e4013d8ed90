import { join } from 'node:path';
import { packFunctions } from './pack.ts';

/** `npm run build [-- --force]`: compiles every function into `dist/bundle`, and packs each for a Lambda into `dist/functions`. */
const startedAt = performance.now();
const root = join(import.meta.dirname, '../..');
const { functions, packed } = await packFunctions({ root, force: process.argv.includes('--force') });
const count = Object.keys(functions).length;
const ms = Math.round(performance.now() - startedAt);
console.log(packed ? `${count} functions built in ${ms} ms` : `${count} functions are up to date (${ms} ms)`);

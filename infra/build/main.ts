import { join } from 'node:path';
import { buildFunctions } from './build.ts';

/** `npm run build [-- --force]`: compiles every function into `dist/`. */
const root = join(import.meta.dirname, '../..');
const { manifest, built, ms } = await buildFunctions({ root, force: process.argv.includes('--force') });
const count = Object.keys(manifest.functions).length;
console.log(built ? `${count} functions built in ${ms} ms` : `${count} functions are up to date (${ms} ms)`);

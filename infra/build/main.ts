import { join } from 'node:path';
import { buildConsole } from './console.ts';
import { packFunctions } from './pack.ts';

/** `npm run build [-- --force]`: compiles every function into `dist/bundle`, packs each for a Lambda into `dist/functions`, and builds the console into `console/dist`. */
const startedAt = performance.now();
const root = join(import.meta.dirname, '../..');
const { functions, packed } = await packFunctions({ root, force: process.argv.includes('--force') });
const site = await buildConsole({ root });
const count = Object.keys(functions).length;
const ms = Math.round(performance.now() - startedAt);
console.log(
  packed || site.built
    ? `${count} functions and the console built in ${ms} ms`
    : `${count} functions and the console are up to date (${ms} ms)`,
);

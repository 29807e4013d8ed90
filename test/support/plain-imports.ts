import { readFileSync } from 'node:fs';
import { isBuiltin, registerHooks } from 'node:module';

/*
 * For projects whose files Node imports itself: imports between files have full names, so that there is nothing to resolve, and neither is
 * for Node's own modules, which each built file of a service imports. Vitest would report each import to its main process, tens of
 * thousands for a service, for its watch mode alone.
 */
const NAMED = /^(?:\.\.?)?\/[^?#%]*\.(?:ts|mjs)$/;
/** Of a copy: see `importFresh`. */
const COPY = /\?copy=\d+$/;
const isWatching = process.env.VITEST_MODE === 'WATCH';

const register = () =>
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (isBuiltin(specifier))
        return { url: `node:${specifier.replace(/^node:/, '')}`, format: 'builtin', shortCircuit: true };
      const { parentURL = '' } = context;
      const [copy = ''] = COPY.exec(parentURL) ?? [];
      const isOurs = NAMED.test(specifier) && parentURL.startsWith('file:') && !parentURL.includes('/node_modules/');
      if (!isOurs || (isWatching && copy === '')) return nextResolve(specifier, context);
      return { url: `${new URL(specifier, parentURL).href}${copy}`, shortCircuit: true };
    },
    load(url, context, nextLoad) {
      if (!url.endsWith('?raw')) return nextLoad(url, context);
      const text = readFileSync(new URL(url), 'utf8');
      return { format: 'module', source: `export default ${JSON.stringify(text)};`, shortCircuit: true };
    },
  });

// Vitest evaluates this file once for each test file of the process.
const OF_PROCESS = process as { importHooks?: unknown };
OF_PROCESS.importHooks ??= register();

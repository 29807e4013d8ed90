import { registerHooks } from 'node:module';

/*
 * For projects whose files Node imports itself: imports between files have full names, so that there is nothing to resolve. Vitest would
 * report each import to its main process, tens of thousands for a service, for its watch mode alone.
 */
const NAMED = /^\.\.?\/[^?#%]*\.(?:ts|mjs)$/;

if (process.env.VITEST_MODE !== 'WATCH')
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL = '' } = context;
      if (!NAMED.test(specifier) || !parentURL.startsWith('file:') || parentURL.includes('/node_modules/'))
        return nextResolve(specifier, context);
      return { url: new URL(specifier, parentURL).href, shortCircuit: true };
    },
  });

import { registerHooks } from 'node:module';

/*
 * A set-up of the projects whose files Node imports itself: an import of one file by another names it, so that there is nothing to look up.
 * Vitest would tell its main process of each, of which a service has tens of thousands, for its watch mode alone.
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

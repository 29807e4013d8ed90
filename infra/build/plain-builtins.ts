import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

const NAMES = new Set(builtinModules.map((name) => (name.startsWith('node:') ? name : `node:${name}`)));
const nameOf = (path: string): string => (path.startsWith('node:') ? path : `node:${path}`);

/**
 * esbuild plugin that loads Node's modules without their ES facades. A facade reads every export when it is imported, and some of these are
 * loaded by that alone: `WebSocket` of `node:http` loads all of undici, which no function uses and which takes a sixth of a cold import;
 * `webcrypto` of `node:crypto` loads its algorithms (`getESMFacade` in Node's lib/internal/bootstrap/realm.js).
 */
export const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[a-z_]+(\/[a-z_]+)*$/ }, ({ path }) => {
      const name = nameOf(path);
      return NAMES.has(name) ? { path: name, namespace: 'plain-builtin', sideEffects: false } : undefined;
    });
    onLoad({ filter: /./, namespace: 'plain-builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

import { join } from 'node:path';
import type { Metafile, PluginBuild } from 'esbuild';
import { numberingPlans } from './numbering-plans.ts';
import { plainBuiltins } from './plain-builtins.ts';
import { rawText } from './raw-text.ts';

export interface Compilation {
  /** Output file names, without extension, to their sources. */
  readonly entryPoints: Readonly<Record<string, string>>;
  readonly outdir: string;
  /** The project root; paths in the metafile are relative to it. */
  readonly root: string;
  /** `sources`: TypeScript and packages; `bundle`: the output of an earlier compilation. */
  readonly kind: 'sources' | 'bundle';
}

/** The target runtime of Lambda, which limits the syntax of the output. */
export const TARGET = {
  format: 'esm',
  platform: 'node',
  target: 'node24',
  legalComments: 'none',
  logLevel: 'silent',
} as const;

/**
 * Lets bundled CommonJS packages require Node's built-in modules; esbuild's own `require` shim throws in ES modules. Pure: packing drops it
 * from the many modules that require nothing.
 */
const REQUIRE_BANNER =
  "import{createRequire as __createRequire}from'node:module';const require=/* @__PURE__ */(()=>__createRequire(import.meta.url))();";

/** Runs esbuild: one ES module per entry, with shared and dynamically imported code in separate chunks. */
export const compile = async ({ entryPoints, outdir, root, kind }: Compilation): Promise<Metafile> => {
  // Imported lazily: a start with an up-to-date build needs no compiler.
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { ...entryPoints },
    outdir,
    bundle: true,
    splitting: true,
    ...TARGET,
    mainFields: ['module', 'main'],
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
    minify: true,
    // The modules of a bundle have the banner already.
    ...(kind === 'sources'
      ? { sourcemap: 'external', banner: { js: REQUIRE_BANNER }, plugins: [rawText, numberingPlans, plainBuiltins] }
      : {}),
    metafile: true,
  });
  return metafile;
};

/** The functions as readable text: names as in the sources, and without packages. Writes no file; `texts` are by absolute paths. */
export const compileForReading = async ({ entryPoints, root }: Pick<Compilation, 'entryPoints' | 'root'>) => {
  const { build } = await import('esbuild');
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { ...entryPoints },
    outdir: join(root, 'unwritten'),
    bundle: true,
    splitting: true,
    ...TARGET,
    packages: 'external',
    external: ['*?raw'],
    metafile: true,
    write: false,
  });
  return { outputs: metafile.outputs, texts: new Map(outputFiles.map(({ path, text }) => [path, text])) };
};

export interface Merges {
  /** Modules that re-export those to merge, by absolute paths; by the paths of their output under `outdir`, without extension. */
  readonly sources: ReadonlyMap<string, string>;
  readonly root: string;
  readonly outdir: string;
}

/** Keeps dynamic imports, pointing to files next to the output. */
const DYNAMIC_IMPORTS_BESIDE = {
  name: 'dynamic-imports-beside',
  setup: ({ onResolve }: PluginBuild) =>
    onResolve({ filter: /^\.\// }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
};

/** Reads each entry from a map instead of a file. */
const entriesFrom = (sources: ReadonlyMap<string, string>, resolveDir: string) => ({
  name: 'entries',
  setup: ({ onResolve, onLoad }: PluginBuild) => {
    onResolve({ filter: /^merged:/ }, ({ path }) => ({ path: path.slice('merged:'.length), namespace: 'merged' }));
    onLoad({ filter: /./, namespace: 'merged' }, ({ path }) => ({ contents: sources.get(path) ?? '', resolveDir }));
  },
});

/**
 * Merges compiled modules with their static imports into one file for each source. One compilation, since most sources share most modules:
 * each is read once. Returns the sizes in bytes, by the sources' names.
 */
export const mergeModules = async ({ sources, root, outdir }: Merges): Promise<ReadonlyMap<string, number>> => {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries([...sources.keys()].map((name) => [name, `merged:${name}`])),
    outdir,
    bundle: true,
    ...TARGET,
    outExtension: { '.js': '.mjs' },
    minify: true,
    plugins: [entriesFrom(sources, root), DYNAMIC_IMPORTS_BESIDE],
    metafile: true,
  });
  const outputs = Object.values(metafile.outputs);
  return new Map(outputs.map(({ entryPoint = '', bytes }) => [entryPoint.slice('merged:'.length), bytes]));
};

import type { Metafile } from 'esbuild';
import { numberingPlans } from './numbering-plans.ts';
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

/** Lets bundled CommonJS packages require Node's built-in modules; esbuild's own `require` shim throws in ES modules. */
const REQUIRE_BANNER =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** Runs esbuild: one ES module per entry, shared and dynamically imported code in chunks beside them. */
export const compile = async ({ entryPoints, outdir, root, kind }: Compilation): Promise<Metafile> => {
  // Imported lazily: a start with an up-to-date build needs no compiler.
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { ...entryPoints },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
    minify: true,
    legalComments: 'none',
    // The modules of a bundle have the banner already.
    ...(kind === 'sources'
      ? { sourcemap: 'external', banner: { js: REQUIRE_BANNER }, plugins: [rawText, numberingPlans] }
      : {}),
    metafile: true,
    logLevel: 'silent',
  });
  return metafile;
};

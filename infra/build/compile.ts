import type { Metafile } from 'esbuild';
import { numberingPlans } from './numbering-plans.ts';
import { rawText } from './raw-text.ts';

export interface Compilation {
  /** File names without their ending, to what is compiled into them. */
  readonly entryPoints: Readonly<Record<string, string>>;
  readonly outdir: string;
  /** The project's folder: the paths in the answer are relative to it. */
  readonly root: string;
  /** TypeScript and packages; or what an earlier compilation made of them. */
  readonly kind: 'sources' | 'bundle';
}

/** Lets CommonJS packages inside an ES module reach Node's own modules; esbuild's stand-in for `require` would throw. */
const REQUIRE_BANNER =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** One esbuild call: every entry an ES module, what several of them or a later import need in chunks beside them. */
export const compile = async ({ entryPoints, outdir, root, kind }: Compilation): Promise<Metafile> => {
  // Loaded only when there is something to build: a start with nothing new needs no compiler.
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
    // A bundle's modules carry the banner already.
    ...(kind === 'sources'
      ? { sourcemap: 'external', banner: { js: REQUIRE_BANNER }, plugins: [rawText, numberingPlans] }
      : {}),
    metafile: true,
    logLevel: 'silent',
  });
  return metafile;
};

import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withBuildFolder } from './exclusive.ts';
import { entryName, type FunctionSize, layOutFunctions } from './layout.ts';
import { rawText } from './raw-text.ts';
import { listFunctions, sourcesHash } from './sources.ts';

export interface BuildOptions {
  /** The project's folder: `functions/`, `shared/` and the lock file are read from here. */
  readonly root: string;
  /** Where the functions lie; `functions` of the root. Tests build their own. */
  readonly functionsDir?: string;
  /** Where the result goes; `dist` of the root. */
  readonly outDir?: string;
  /** Builds though nothing changed. */
  readonly force?: boolean;
}

/** `manifest.json`: what was built, from which sources. Function paths are relative to `functions/`, without `.ts`. */
export interface Manifest {
  readonly hash: string;
  readonly functions: Readonly<Record<string, FunctionSize>>;
}

export interface BuildResult {
  readonly manifest: Manifest;
  readonly outDir: string;
  /** False when the earlier result still stands. */
  readonly built: boolean;
  readonly ms: number;
}

/** Lets CommonJS packages inside an ES module reach Node's own modules; esbuild's stand-in for `require` would throw. */
const REQUIRE_BANNER =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

const readManifest = async (outDir: string): Promise<Manifest | undefined> => {
  try {
    return JSON.parse(await readFile(join(outDir, 'manifest.json'), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
};

const bundle = async (functionsDir: string, paths: readonly string[], outdir: string, root: string) => {
  // Loaded only when there is something to build: a start with nothing new needs no compiler.
  const { build } = await import('esbuild');
  return build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(paths.map((path) => [entryName(path), join(functionsDir, `${path}.ts`)])),
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
    sourcemap: 'external',
    banner: { js: REQUIRE_BANNER },
    plugins: [rawText],
    metafile: true,
    logLevel: 'silent',
  });
};

/** Puts the new folders where the old ones stood. The manifest goes last: without it, the next start builds again. */
const replace = async (from: string, to: string, manifest: Manifest): Promise<void> => {
  await rm(join(to, 'manifest.json'), { force: true });
  for (const folder of ['bundle', 'functions']) {
    await rm(join(to, folder), { recursive: true, force: true });
    await rename(join(from, folder), join(to, folder));
  }
  await rm(from, { recursive: true, force: true });
  await writeFile(join(to, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
};

/**
 * Builds every function with one esbuild call, so that common code is compiled and written once:
 * `bundle/` holds all entries and chunks side by side (the local platform runs these), `functions/<path>/` an
 * `index.mjs` with exactly the chunks that it needs (a Lambda asset each). Does nothing when no source changed.
 */
export const buildFunctions = async (options: BuildOptions): Promise<BuildResult> => {
  const startedAt = performance.now();
  const { root, functionsDir = join(root, 'functions'), outDir = join(root, 'dist') } = options;
  const result = (manifest: Manifest, built: boolean): BuildResult => {
    return { manifest, outDir, built, ms: Math.round(performance.now() - startedAt) };
  };
  const hash = await sourcesHash(root, functionsDir);
  const standing = async () => {
    const manifest = options.force ? undefined : await readManifest(outDir);
    return manifest?.hash === hash ? result(manifest, false) : undefined;
  };
  const build = async () => {
    // Another process may have built the same while this one waited for its turn.
    const meanwhile = await standing();
    return meanwhile ?? result(await buildInto(outDir, root, functionsDir, hash), true);
  };
  return (await standing()) ?? (await withBuildFolder(outDir, build));
};

const buildInto = async (outDir: string, root: string, functionsDir: string, hash: string): Promise<Manifest> => {
  const paths = await listFunctions(functionsDir);
  if (paths.length === 0) throw new Error(`There are no functions in ${functionsDir}.`);
  const workDir = join(outDir, '.building');
  // What a build that was killed left behind.
  await rm(workDir, { recursive: true, force: true });
  try {
    const { metafile } = await bundle(functionsDir, paths, join(workDir, 'bundle'), root);
    const manifest: Manifest = { hash, functions: await layOutFunctions({ metafile, paths, root, workDir }) };
    await replace(workDir, outDir, manifest);
    return manifest;
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
};

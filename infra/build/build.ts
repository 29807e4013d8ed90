import { join } from 'node:path';
import { withBuildLock } from './build-lock.ts';
import { compile } from './compile.ts';
import { entryName } from './layout.ts';
import { readManifest, replaceFolder } from './manifest.ts';
import { listFunctions, sourcesHash } from './sources.ts';

export interface BuildOptions {
  /** The project root, with `functions/`, `shared/` and the lock file. */
  readonly root: string;
  /** Default: `functions` under the root. Tests build their own. */
  readonly functionsDir?: string;
  /** Default: `dist` under the root. */
  readonly outDir?: string;
  /** Builds even when nothing changed. */
  readonly force?: boolean;
}

/** `manifest.json`: the built functions, and the sources. Function paths are relative to `functions/`, without `.ts`. */
export interface Manifest {
  readonly hash: string;
  readonly functions: readonly string[];
}

export interface BuildResult {
  readonly manifest: Manifest;
  readonly outDir: string;
  /** False when the earlier build was up to date. */
  readonly built: boolean;
  readonly ms: number;
}

const MANIFEST = 'manifest.json';

/**
 * Builds every function with one esbuild call, so that shared code is compiled once: `bundle/` holds all entries and chunks side by
 * side. The local stack runs from there; Lambda assets are packed from it (`packFunctions`). Does nothing when no source changed.
 */
export const buildFunctions = async (options: BuildOptions): Promise<BuildResult> => {
  const startedAt = performance.now();
  const { root, functionsDir = join(root, 'functions'), outDir = join(root, 'dist') } = options;
  const result = (manifest: Manifest, built: boolean): BuildResult => ({
    manifest,
    outDir,
    built,
    ms: Math.round(performance.now() - startedAt),
  });
  const hash = sourcesHash(root, functionsDir);
  const findCurrent = async () => {
    const manifest = options.force ? undefined : await readManifest<Manifest>(join(outDir, MANIFEST));
    return manifest?.hash === hash ? result(manifest, false) : undefined;
  };
  const build = async () => {
    // Another process may have built the same while this one waited for the lock.
    const meanwhile = await findCurrent();
    return meanwhile ?? result(await buildInto(outDir, root, functionsDir, hash), true);
  };
  return (await findCurrent()) ?? (await withBuildLock(outDir, build));
};

const buildInto = async (outDir: string, root: string, functionsDir: string, hash: string): Promise<Manifest> => {
  const paths = listFunctions(functionsDir);
  if (paths.length === 0) throw new Error(`There are no functions in ${functionsDir}.`);
  const entryPoints = Object.fromEntries(paths.map((path) => [entryName(path), join(functionsDir, `${path}.ts`)]));
  const manifest: Manifest = { hash, functions: [...paths].sort() };
  await replaceFolder({
    folder: join(outDir, 'bundle'),
    manifestFile: join(outDir, MANIFEST),
    fill: async (outdir) => {
      await compile({ entryPoints, outdir, root, kind: 'sources' });
      return manifest;
    },
  });
  return manifest;
};

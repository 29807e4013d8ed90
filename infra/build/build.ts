import { join } from 'node:path';
import { compile } from './compile.ts';
import { withBuildFolder } from './exclusive.ts';
import { entryName } from './layout.ts';
import { readRecord, replaceFolder } from './record.ts';
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
  readonly functions: readonly string[];
}

export interface BuildResult {
  readonly manifest: Manifest;
  readonly outDir: string;
  /** False when the earlier result still stands. */
  readonly built: boolean;
  readonly ms: number;
}

const MANIFEST = 'manifest.json';

/**
 * Builds every function with one esbuild call, so that common code is compiled and written once: `bundle/` holds all entries
 * and chunks side by side. One process runs all of them from there; what a Lambda each runs is packed from it
 * (`packFunctions`). Does nothing when no source changed.
 */
export const buildFunctions = async (options: BuildOptions): Promise<BuildResult> => {
  const startedAt = performance.now();
  const { root, functionsDir = join(root, 'functions'), outDir = join(root, 'dist') } = options;
  const result = (manifest: Manifest, built: boolean): BuildResult => {
    return { manifest, outDir, built, ms: Math.round(performance.now() - startedAt) };
  };
  const hash = await sourcesHash(root, functionsDir);
  const standing = async () => {
    const manifest = options.force ? undefined : await readRecord<Manifest>(join(outDir, MANIFEST));
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
  const entryPoints = Object.fromEntries(paths.map((path) => [entryName(path), join(functionsDir, `${path}.ts`)]));
  const manifest: Manifest = { hash, functions: [...paths].sort() };
  await replaceFolder({
    folder: join(outDir, 'bundle'),
    record: join(outDir, MANIFEST),
    fill: async (outdir) => {
      await compile({ entryPoints, outdir, root, kind: 'sources' });
      return manifest;
    },
  });
  return manifest;
};

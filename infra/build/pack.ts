import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, buildFunctions } from './build.ts';
import { withBuildLock } from './build-lock.ts';
import { compile } from './compile.ts';
import { entryName, type FunctionSize, layOutFunctions } from './layout.ts';
import { readManifest, replaceFolder } from './manifest.ts';

/** `packages.json`: the packed files, and their sources. */
interface Packages {
  readonly hash: string;
  readonly functions: Readonly<Record<string, FunctionSize>>;
}

export interface Packed extends Packages {
  /** Holds `functions/<path>/`. */
  readonly outDir: string;
  /** False when the earlier result was up to date. */
  readonly packed: boolean;
}

const areaOf = (path: string): string => path.split('/')[0] as string;

/**
 * Packs every function as a Lambda asset: `functions/<path>/` holds an `index.mjs` with exactly the chunks that it needs. The bundle is
 * compiled once more, area by area: split across all functions, one function would load about a hundred small chunks at a cold start;
 * split within an area it loads about twenty, without code that only other areas use. Does nothing when no source changed.
 */
export const packFunctions = async (options: BuildOptions): Promise<Packed> => {
  const { root } = options;
  const { manifest, outDir } = await buildFunctions(options);
  const { hash, functions: paths } = manifest;
  const manifestFile = join(outDir, 'packages.json');
  const current = options.force ? undefined : await readManifest<Packages>(manifestFile);
  if (current?.hash === hash) return { ...current, outDir, packed: false };
  const fill = async (folder: string): Promise<Packages> => {
    const functions: Record<string, FunctionSize> = {};
    for (const area of new Set(paths.map(areaOf)))
      Object.assign(
        functions,
        await packArea({ root, outDir, folder, paths: paths.filter((path) => areaOf(path) === area) }),
      );
    return { hash, functions };
  };
  const packages = await withBuildLock(outDir, () =>
    replaceFolder({ folder: join(outDir, 'functions'), manifestFile, fill }),
  );
  return { ...packages, outDir, packed: true };
};

interface Area {
  readonly root: string;
  readonly outDir: string;
  /** Where the packed folders go. */
  readonly folder: string;
  readonly paths: readonly string[];
}

const packArea = async ({ root, outDir, folder, paths }: Area): Promise<Record<string, FunctionSize>> => {
  const shared = join(folder, '.area');
  const entryPoints = Object.fromEntries(
    paths.map((path) => [entryName(path), join(outDir, 'bundle', `${entryName(path)}.mjs`)]),
  );
  const metafile = await compile({ entryPoints, outdir: shared, root, kind: 'bundle' });
  const sizes = await layOutFunctions({ metafile, paths, root, from: shared, to: folder });
  await rm(shared, { recursive: true, force: true });
  return sizes;
};

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, buildFunctions } from './build.ts';
import { compile } from './compile.ts';
import { withBuildFolder } from './exclusive.ts';
import { entryName, type FunctionSize, layOutFunctions } from './layout.ts';
import { readRecord, replaceFolder } from './record.ts';

/** `packages.json`: what was packed, from which sources. */
interface Packages {
  readonly hash: string;
  readonly functions: Readonly<Record<string, FunctionSize>>;
}

export interface Packed extends Packages {
  /** Holds `functions/<path>/`. */
  readonly outDir: string;
  /** False when the earlier result still stands. */
  readonly packed: boolean;
}

const areaOf = (path: string): string => path.split('/')[0] as string;

/**
 * Packs every function as a Lambda asset of its own: `functions/<path>/` holds an `index.mjs` with exactly the chunks that it
 * needs. They are compiled once more from the bundle, area by area: a chunk there is what a set of all functions shares, so
 * that one function would read about a hundred small ones at a cold start; what an area's own functions share comes to some
 * twenty, without what only others use. Does nothing when no source changed.
 */
export const packFunctions = async (options: BuildOptions): Promise<Packed> => {
  const { root } = options;
  const { manifest, outDir } = await buildFunctions(options);
  const { hash, functions: paths } = manifest;
  const record = join(outDir, 'packages.json');
  const standing = options.force ? undefined : await readRecord<Packages>(record);
  if (standing?.hash === hash) return { ...standing, outDir, packed: false };
  const fill = async (folder: string): Promise<Packages> => {
    const functions: Record<string, FunctionSize> = {};
    for (const area of new Set(paths.map(areaOf)))
      Object.assign(
        functions,
        await packArea({ root, outDir, folder, paths: paths.filter((path) => areaOf(path) === area) }),
      );
    return { hash, functions };
  };
  const made = await withBuildFolder(outDir, () => replaceFolder({ folder: join(outDir, 'functions'), record, fill }));
  return { ...made, outDir, packed: true };
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

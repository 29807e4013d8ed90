import { copyFile, link, mkdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { Metafile } from 'esbuild';

export interface FunctionSize {
  /** The entry with its static imports: what a cold start loads. */
  readonly bytes: number;
  /** The same with its dynamic imports. */
  readonly bytesWithDynamic: number;
}

/** A function's path as a flat file name, so that the entry lies beside its chunks and finds them by relative imports. */
export const entryName = (functionPath: string): string => functionPath.replaceAll('/', '.');

type Outputs = Metafile['outputs'];

/** All files that an output imports, directly or not; `withDynamic` also follows dynamic imports. */
const reachableFiles = (outputs: Outputs, entry: string, withDynamic: boolean): Set<string> => {
  const found = new Set<string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const { path, kind, external } of outputs[file]?.imports ?? [])
      if (!external && (withDynamic || kind !== 'dynamic-import')) open.push(path);
  }
  return found;
};

/** Hard-links a file; copies it where the file system has no hard links. */
const linkOrCopy = (from: string, to: string): Promise<void> => link(from, to).catch(() => copyFile(from, to));

export interface LayoutInput {
  readonly metafile: Metafile;
  readonly paths: readonly string[];
  /** The folder that the metafile's paths are relative to. */
  readonly root: string;
  /** The folder of the compiled files. */
  readonly from: string;
  /** The folder that receives one folder per function. */
  readonly to: string;
}

/** Lays out a folder per function with `index.mjs` and its chunks. Returns the sizes in bytes, by function path. */
export const layOutFunctions = async ({
  metafile,
  paths,
  root,
  from,
  to,
}: LayoutInput): Promise<Record<string, FunctionSize>> => {
  const { outputs } = metafile;
  const compiled = relative(root, from).replaceAll('\\', '/');
  const sizeOf = (files: Set<string>) => [...files].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
  const sizes: Record<string, FunctionSize> = {};
  const laidOut = paths.map(async (path) => {
    const entry = `${compiled}/${entryName(path)}.mjs`;
    const all = reachableFiles(outputs, entry, true);
    sizes[path] = { bytes: sizeOf(reachableFiles(outputs, entry, false)), bytesWithDynamic: sizeOf(all) };
    const folder = join(to, path);
    await mkdir(folder, { recursive: true });
    const nameOf = (file: string) => (file === entry ? 'index.mjs' : basename(file));
    await Promise.all([...all].map((file) => linkOrCopy(join(root, file), join(folder, nameOf(file)))));
  });
  await Promise.all(laidOut);
  return sizes;
};

import { copyFile, link, mkdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { Metafile } from 'esbuild';

export interface FunctionSize {
  /** The entry and all that it imports statically: what a cold start reads. */
  readonly bytes: number;
  /** With what it may import later. */
  readonly bytesWithDynamic: number;
}

/** A function's path as a flat file name, so that entry and chunks are neighbours wherever they are copied together. */
export const entryName = (functionPath: string): string => functionPath.replaceAll('/', '.');

type Outputs = Metafile['outputs'];

/** The files that an output reaches: by static imports alone, and with those it may import later. */
const reached = (outputs: Outputs, entry: string, withDynamic: boolean): Set<string> => {
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

/** A second name for the same bytes; a copy where the file system has no hard links. */
const place = (from: string, to: string): Promise<void> => link(from, to).catch(() => copyFile(from, to));

export interface LayoutInput {
  readonly metafile: Metafile;
  readonly paths: readonly string[];
  /** What the metafile's paths are relative to. */
  readonly root: string;
  /** Holds what was compiled. */
  readonly from: string;
  /** Receives a folder for each function's path. */
  readonly to: string;
}

/** Gives each function a folder of its own with `index.mjs` and its chunks, and weighs it. */
export const layOutFunctions = async ({
  metafile,
  paths,
  root,
  from,
  to,
}: LayoutInput): Promise<Record<string, FunctionSize>> => {
  const { outputs } = metafile;
  const compiled = relative(root, from).replaceAll('\\', '/');
  const weigh = (files: Set<string>) => [...files].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
  const sizes: Record<string, FunctionSize> = {};
  const laidOut = paths.map(async (path) => {
    const entry = `${compiled}/${entryName(path)}.mjs`;
    const all = reached(outputs, entry, true);
    sizes[path] = { bytes: weigh(reached(outputs, entry, false)), bytesWithDynamic: weigh(all) };
    const folder = join(to, path);
    await mkdir(folder, { recursive: true });
    const nameOf = (file: string) => (file === entry ? 'index.mjs' : basename(file));
    await Promise.all([...all].map((file) => place(join(root, file), join(folder, nameOf(file)))));
  });
  await Promise.all(laidOut);
  return sizes;
};

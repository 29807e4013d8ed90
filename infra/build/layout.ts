import { copyFile, link, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { Metafile } from 'esbuild';
import { mergeModules } from './compile.ts';

export interface FunctionSize {
  /** The entry with its static imports: what a cold start loads. */
  readonly bytes: number;
  /** The same with its dynamic imports. */
  readonly bytesWithDynamic: number;
}

/** A function's path as a flat file name, so that the entry is next to its chunks and finds them by relative imports. */
export const entryName = (functionPath: string): string => functionPath.replaceAll('/', '.');

type Outputs = Metafile['outputs'];

/** All files that an output imports, directly or not; `withDynamic` also follows dynamic imports. */
export const reachableFiles = (outputs: Outputs, entry: string, withDynamic: boolean): Set<string> => {
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

/** The name under which `index.mjs` exports what a chunk inside it exports. */
const exportedAs = (file: string, name: string): string => `${basename(file, '.mjs').replace(/\W/g, '_')}_${name}`;

const exportsOf = (outputs: Outputs, file: string, toIndex: boolean): string =>
  (outputs[file]?.exports ?? [])
    .map((name) => (toIndex ? `${name} as ${exportedAs(file, name)}` : `${exportedAs(file, name)} as ${name}`))
    .join(',');

interface Stub {
  readonly file: string;
  readonly text: string;
}
/**
 * The files of a function's folder: those merged into `index.mjs`, chunks that may be imported later, and files that re-export bindings to
 * those.
 */
interface FunctionFiles {
  readonly source: string;
  readonly later: readonly string[];
  readonly stubs: readonly Stub[];
}

/**
 * One function's files. `index.mjs` contains everything that a cold start loads, as one file: as 42 chunks, `sms/send` took a sixth more
 * processor time to import. Code that may be imported later stays in chunks. If those import a chunk that is now inside `index.mjs`, a file
 * with its name re-exports the same bindings, so that every module still exists once.
 */
const filesOf = (outputs: Outputs, root: string, entry: string): FunctionFiles => {
  const atStart = reachableFiles(outputs, entry, false);
  const later = [...reachableFiles(outputs, entry, true)].filter((file) => !atStart.has(file));
  const importsOf = (file: string) => outputs[file]?.imports ?? [];
  const importedLater = new Set([
    ...later.flatMap((file) => importsOf(file).map(({ path }) => path)),
    ...[...atStart].flatMap((file) =>
      importsOf(file).flatMap(({ path, kind }) => (kind === 'dynamic-import' ? [path] : [])),
    ),
  ]);
  const passedOn = [...atStart].filter((file) => importedLater.has(file));
  const lines = passedOn.map(
    (file) => `export{${exportsOf(outputs, file, true)}}from${JSON.stringify(join(root, file))};`,
  );
  const source = [`export*from${JSON.stringify(join(root, entry))};`, ...lines].join('\n');
  const stubs = passedOn.map((file) => ({
    file,
    text: `export{${exportsOf(outputs, file, false)}}from"./index.mjs";\n`,
  }));
  return { source, later, stubs };
};

/** Lays out a folder per function with `index.mjs` and its chunks. Returns the sizes in bytes, by function path. */
export const layOutFunctions = async (input: LayoutInput): Promise<Record<string, FunctionSize>> => {
  const { root, paths, to } = input;
  const { outputs } = input.metafile;
  const compiled = relative(root, input.from).replaceAll('\\', '/');
  const files = new Map(paths.map((path) => [path, filesOf(outputs, root, `${compiled}/${entryName(path)}.mjs`)]));
  const sources = new Map([...files].map(([path, { source }]) => [`${path}/index`, source]));
  const merged = await mergeModules({ sources, root, outdir: to });
  const laidOut = [...files].map(async ([path, { later, stubs }]) => {
    const folder = join(to, path);
    await Promise.all([
      ...later.map((file) => linkOrCopy(join(root, file), join(folder, basename(file)))),
      ...stubs.map(({ file, text }) => writeFile(join(folder, basename(file)), text)),
    ]);
    const bytes = merged.get(`${path}/index`) ?? 0;
    const laterBytes = later.reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
    return [
      path,
      { bytes, bytesWithDynamic: stubs.reduce((sum, { text }) => sum + text.length, bytes + laterBytes) },
    ] as const;
  });
  return Object.fromEntries(await Promise.all(laidOut));
};

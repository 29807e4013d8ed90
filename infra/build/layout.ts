import { copyFile, link, readFile, writeFile } from 'node:fs/promises';
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

const exportsOf = (file: string, names: readonly string[], toIndex: boolean): string =>
  names
    .map((name) => (toIndex ? `${name} as ${exportedAs(file, name)}` : `${exportedAs(file, name)} as ${name}`))
    .join(',');

/** A static import of a compiled module: `import{a as b,c}from"./chunk-X.mjs"`. */
const STATIC_IMPORT = /import\{([^}]*)\}from"\.\/([^"]+)"/g;
interface Import {
  /** The imported file's name. */
  readonly from: string;
  readonly names: readonly string[];
}
const importsIn = (text: string): readonly Import[] =>
  Array.from(text.matchAll(STATIC_IMPORT), ([, list = '', from = '']) => ({
    from,
    names: list.split(',').map((each) => each.split(' as ')[0] ?? each),
  }));

/** The exports of a function's compiled files, and the names that they import statically. */
interface Modules {
  readonly outputs: Outputs;
  readonly imports: ReadonlyMap<string, readonly Import[]>;
}

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
 * with its name re-exports the same bindings, so that every module still exists once; only those that they import, since whatever
 * `index.mjs` exports is kept in it.
 */
const filesOf = ({ outputs, imports }: Modules, root: string, entry: string): FunctionFiles => {
  const atStart = reachableFiles(outputs, entry, false);
  const all = [...reachableFiles(outputs, entry, true)];
  const later = all.filter((file) => !atStart.has(file));
  const importsOf = (file: string) => outputs[file]?.imports ?? [];
  const wholly = new Set(
    all.flatMap((file) => importsOf(file).flatMap(({ path, kind }) => (kind === 'dynamic-import' ? [path] : []))),
  );
  const inPart = new Set(later.flatMap((file) => importsOf(file).map(({ path }) => path)));
  const byName = Map.groupBy(
    later.flatMap((file) => imports.get(file) ?? []),
    ({ from }) => from,
  );
  const namesOf = (file: string): readonly string[] => {
    const exported = outputs[file]?.exports ?? [];
    const imported = new Set(byName.get(basename(file))?.flatMap(({ names }) => names));
    return wholly.has(file) ? exported : exported.filter((name) => imported.has(name));
  };
  const passedOn = [...atStart].filter((file) => wholly.has(file) || inPart.has(file));
  const lines = passedOn.map(
    (file) => `export{${exportsOf(file, namesOf(file), true)}}from${JSON.stringify(join(root, file))};`,
  );
  const source = [`export*from${JSON.stringify(join(root, entry))};`, ...lines].join('\n');
  const stubs = passedOn.map((file) => ({
    file,
    text: `export{${exportsOf(file, namesOf(file), false)}}from"./index.mjs";\n`,
  }));
  return { source, later, stubs };
};

/** The names that each of these files imports. */
const readImports = async (root: string, files: readonly string[]): Promise<Modules['imports']> =>
  new Map(
    await Promise.all(files.map(async (file) => [file, importsIn(await readFile(join(root, file), 'utf8'))] as const)),
  );

/** Lays out a folder per function with `index.mjs` and its chunks. Returns the sizes in bytes, by function path. */
export const layOutFunctions = async (input: LayoutInput): Promise<Record<string, FunctionSize>> => {
  const { root, paths, to } = input;
  const { outputs } = input.metafile;
  const compiled = relative(root, input.from).replaceAll('\\', '/');
  const modules = { outputs, imports: await readImports(root, Object.keys(outputs)) };
  const files = new Map(paths.map((path) => [path, filesOf(modules, root, `${compiled}/${entryName(path)}.mjs`)]));
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

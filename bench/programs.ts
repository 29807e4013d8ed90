import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { minifySync } from '@swc/core';
import { buildSync, type Loader, transformSync } from 'esbuild';
import { TARGET } from '../infra/build/compile.ts';
import { git } from './git.ts';

/** The files that are code, by their extension. */
export const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.tsx': 'tsx' };

export interface Programs {
  readonly starts: readonly string[];
  /** The folders of all that they import. */
  readonly folders: readonly string[];
}
/** The modules that the service, its operator's commands and its build start from. */
export const SERVICE: Programs = {
  starts: ['functions/**/*.ts', 'infra/app.ts', 'infra/{local/start,operator/main,build/main}.ts'],
  folders: ['functions', 'infra', 'shared'],
};
export const CONSOLE: Programs = { starts: ['console/src/main.tsx'], folders: ['console/src', 'sdk/typescript/src'] };
/** Which syntax the compiler reads, and which modules it may drop. */
const SETTINGS = [':(glob)**/package.json', ':(glob)**/tsconfig.json'];

/** How the compiler wraps a module that is imported when needed: a function named, for profilers, by its path, and a list of its exports, in alphabetical order. */
const NAMED_BY_PATH = /"(?:functions|infra|shared|console|sdk)\/[^"\n]+\.tsx?"\(\)/g;
const LIST_OF_EXPORTS = /^__export\(\w+, \{\n((?: {2}[\w$]+: \(\) => [\w$]+,?\n)+)\}\);$/gm;

/** Code with short names for what it declares and does not export. They depend on its structure alone, unlike those of esbuild. */
export const withoutNames = (code: string): string =>
  minifySync(code, { module: true, compress: false, mangle: { toplevel: true } }).code;

/** Numbers the exports of modules that are imported when needed, where the others need no names. */
const withNumberedExports = (code: string): string => {
  const lists = [...code.matchAll(LIST_OF_EXPORTS)].map(([, list = '']) => list);
  const exported = new Set(lists.flatMap((list) => [...list.matchAll(/([\w$]+): \(\)/g)].map(([, name = '']) => name)));
  const numbers = new Map<string, string>();
  return code
    .replaceAll(LIST_OF_EXPORTS, '')
    .replaceAll(NAMED_BY_PATH, '"module"()')
    .replaceAll(/[\w$]+/g, (name) => {
      if (!exported.has(name)) return name;
      const number = numbers.get(name) ?? `export${numbers.size}`;
      numbers.set(name, number);
      return number;
    });
};

/** The imports of a module, in the order of the paths. */
const IMPORTS = /^(?:import\b[^;]*;\n)+/m;
/** Code without any names: it says which module this is, whatever it is called. */
const skeletonOf = (path: string, text: string): string => {
  const loader = LOADERS[extname(path)] ?? 'ts';
  const options = { loader, format: 'esm', minifyWhitespace: true, minifyIdentifiers: true } as const;
  return transformSync(text.replace(IMPORTS, ''), options).code.replaceAll(/[\w$]+/g, '_');
};

/** Sorts the imports in the modules of a folder by the code of what they import: another name of a module is another place among them. */
const sortImports = (folder: string): void => {
  const paths = globSync('**/*.{ts,tsx}', { cwd: folder }).map((path) => join(folder, path));
  const texts = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
  const skeletons = new Map([...texts].map(([path, text]) => [path, skeletonOf(path, text)]));
  for (const [path, text] of texts) {
    const placeOf = (line: string): string => {
      const [, from = ''] = /'([^']+)';\n$/.exec(line) ?? [];
      return skeletons.get(join(dirname(path), from)) ?? from;
    };
    const sorted = text.replace(IMPORTS, (block) => {
      const lines = (block.match(/^import\b[^;]*;\n/gm) ?? []).map((line) => [placeOf(line), line] as const);
      return lines
        .toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)))
        .map(([, line]) => line)
        .join('');
    });
    writeFileSync(path, sorted);
  }
};

/**
 * A hash of programs in a folder, without their packages. Where modules lie, and the names of what they export to each other, are not part of
 * it; the names of properties, which may be stored, are. Throws if a program does not compile.
 */
const hashIn = (folder: string, { starts }: Programs): string => {
  sortImports(folder);
  const paths = globSync([...starts], { cwd: folder }).map((path) => path.replaceAll('\\', '/'));
  // One module, since between several the compiler would order imports by the names in the sources.
  const contents = paths.toSorted().map((path, at) => `export * as start${at} from './${path}';`);
  const { outputFiles } = buildSync({
    absWorkingDir: folder,
    stdin: { contents: contents.join('\n'), resolveDir: folder },
    bundle: true,
    ...TARGET,
    packages: 'external',
    // Compared as files.
    external: ['*?raw', '*.css'],
    write: false,
  });
  const code = withoutNames(withNumberedExports(outputFiles[0]?.text ?? ''));
  return createHash('sha256').update(code).digest('hex');
};

/** `hashIn` a copy of a commit's files, or of those that are checked out. */
const hashOf = (folder: string, programs: Programs, commit?: string): string => {
  const copy = mkdtempSync(join(tmpdir(), 'programs-'));
  try {
    // An index of its own: that of the repository stays as it is.
    const env = commit ? { GIT_INDEX_FILE: join(copy, 'index') } : {};
    if (commit) git(['read-tree', commit], folder, env);
    const which = commit ? ['--cached'] : ['--cached', '--others', '--exclude-standard'];
    const listed = git(['ls-files', ...which, '-z', '--', ...programs.folders, ...SETTINGS], folder, env);
    const paths = [...new Set(listed.split('\0').filter(Boolean))];
    if (commit) git(['checkout-index', `--prefix=${copy}/`, '--', ...paths], folder, env);
    else
      for (const path of paths.filter((each) => existsSync(join(folder, each))))
        cpSync(join(folder, path), join(copy, path));
    return hashIn(copy, programs);
  } finally {
    rmSync(copy, { recursive: true });
  }
};

const hashes = new Map<string, string>();
/** The same, computed once: what is checked out does not change during a run of the bench. */
const knownHash = (...of: Parameters<typeof hashOf>): string => {
  const key = JSON.stringify(of);
  const hash = hashes.get(key) ?? hashOf(...of);
  hashes.set(key, hash);
  return hash;
};

/** Whether programs are the same at a commit and in what is checked out. */
export const areSame = (programs: Programs, commit: string, folder: string): boolean =>
  knownHash(folder, programs, commit) === knownHash(folder, programs);

export const isOf = ({ folders }: Programs, path: string): boolean =>
  extname(path) in LOADERS && folders.some((folder) => path.startsWith(`${folder}/`));

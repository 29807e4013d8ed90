import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { minifySync } from '@swc/core';
import { buildSync, type Loader, transformSync } from 'esbuild';
import { TARGET } from '../infra/build/compile.ts';

const ROOT = join(import.meta.dirname, '..');
const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.tsx': 'tsx' };
/** A diff and a file of it may be larger than what Node reads from a process by default, 1 MB. */
const MAX_BYTES = 64 * 2 ** 20;

interface Programs {
  readonly starts: readonly string[];
  /** The folders of all that they import. */
  readonly folders: readonly string[];
}
/** The modules that the service, its operator's commands and its build start from. */
const SERVICE: Programs = {
  starts: ['functions/**/*.ts', 'infra/app.ts', 'infra/{local/start,operator/main,build/main}.ts'],
  folders: ['functions', 'infra', 'shared'],
};
const CONSOLE: Programs = { starts: ['console/src/main.tsx'], folders: ['console/src', 'sdk/typescript/src'] };
/** Which syntax the compiler reads, and which modules it may drop. */
const SETTINGS = [':(glob)**/package.json', ':(glob)**/tsconfig.json'];

/** How the compiler wraps a module that is imported when needed: a function named, for profilers, by its path, and a list of its exports, in alphabetical order. */
const NAMED_BY_PATH = /"(?:functions|infra|shared|console|sdk)\/[^"\n]+\.tsx?"\(\)/g;
const LIST_OF_EXPORTS = /^__export\(\w+, \{\n((?: {2}[\w$]+: \(\) => [\w$]+,?\n)+)\}\);$/gm;

/** What `git` prints, in this repository or the one of a folder. Throws if it fails. */
export const git = (args: readonly string[], folder = ROOT, env: NodeJS.ProcessEnv = {}): string =>
  execFileSync('git', args, {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: MAX_BYTES,
  }).trimEnd();

/** Code with short names for what it declares and does not export. They depend on its structure alone, unlike those of esbuild. */
const withoutNames = (code: string): string =>
  minifySync(code, { module: true, compress: false, mangle: { toplevel: true } }).code;

/**
 * The text of a file as far as it can change a figure. Of TypeScript that is its code without comments, types, format and the names of what
 * it does not export. Of any other file it is all of it.
 */
export const measuredText = (path: string, text: string): string => {
  const loader = LOADERS[extname(path)];
  return loader ? withoutNames(transformSync(text, { loader, legalComments: 'none' }).code) : text.trimEnd();
};

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

/**
 * A hash of programs in a folder, without their packages. Where modules lie, and the names of what they export to each other, are not part of
 * it; the names of properties, which may be stored, are. Throws if a program does not compile.
 */
const hashIn = (folder: string, { starts }: Programs): string => {
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

/** `hashIn` the files of a commit. */
const hashAt = (commit: string, folder: string, programs: Programs): string => {
  const copy = mkdtempSync(join(tmpdir(), 'programs-'));
  try {
    // An index of its own: that of the repository stays as it is.
    const env = { GIT_INDEX_FILE: join(copy, 'index') };
    git(['read-tree', commit], folder, env);
    const paths = git(['ls-files', '-z', '--', ...programs.folders, ...SETTINGS], folder, env).split('\0');
    git(['checkout-index', `--prefix=${copy}/`, '--', ...paths.filter(Boolean)], folder, env);
    return hashIn(copy, programs);
  } finally {
    rmSync(copy, { recursive: true });
  }
};

const compared = new Map<string, boolean>();
/** Whether programs are the same at a commit and in what is checked out, which does not change during a run of the bench. */
const areSame = (programs: Programs, commit: string, folder: string): boolean => {
  const key = `${folder} ${commit} ${programs.starts.join()}`;
  const same = compared.get(key) ?? hashAt(commit, folder, programs) === hashIn(folder, programs);
  compared.set(key, same);
  return same;
};

const isOf = ({ folders }: Programs, path: string): boolean =>
  extname(path) in LOADERS && folders.some((folder) => path.startsWith(`${folder}/`));

/** The files whose measured text differs; a file that is added, moved or removed is one of them. */
const differingFiles = (commit: string, specifications: readonly string[], folder: string): string[] => {
  const differing = git(['diff', '--name-status', '--no-renames', '-z', commit, '--', ...specifications], folder);
  return [...differing.matchAll(/([A-Z])\0([^\0]+)\0/g)].flatMap(([, status, path = '']) => {
    const isSame = () =>
      measuredText(path, git(['show', `${commit}:${path}`], folder)) ===
      measuredText(path, readFileSync(join(folder, path), 'utf8'));
    return status === 'M' && isSame() ? [] : [path];
  });
};

/**
 * The files, of those that git's path specifications name, whose change since a commit can change a figure. One of the service's code is none of
 * them where only names differ: of modules, or of what they export to each other. Throws if the commit is not in the repository.
 */
export const changedFiles = (commit: string, specifications: readonly string[], folder = ROOT): string[] => {
  const differing = differingFiles(commit, specifications, folder);
  const renamed = [SERVICE, CONSOLE].filter(
    (programs) => differing.some((path) => isOf(programs, path)) && areSame(programs, commit, folder),
  );
  return differing.filter((path) => !renamed.some((programs) => isOf(programs, path)));
};

import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { transformSync } from 'esbuild';
import { git, ROOT } from './git.ts';
import { areSame, CONSOLE, isOf, LOADERS, SERVICE, withoutNames } from './programs.ts';

/** The scripts that a bench runs; the others are tools. */
const MEASURED_SCRIPTS = ['build', 'start'];
const withoutTools = (text: string): string => {
  const { scripts = {}, ...others } = JSON.parse(text);
  return JSON.stringify([others, MEASURED_SCRIPTS.map((name) => scripts[name])]);
};

/**
 * The text of a file as far as it can change a figure. Of TypeScript that is its code without comments, types, format and the names of what
 * it does not export; of `package.json` all but the scripts of tools. Of any other file it is all of it.
 */
export const measuredText = (path: string, text: string): string => {
  if (path === 'package.json') return withoutTools(text);
  const loader = LOADERS[extname(path)];
  return loader ? withoutNames(transformSync(text, { loader, legalComments: 'none' }).code) : text.trimEnd();
};

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

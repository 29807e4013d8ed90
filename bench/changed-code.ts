import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type Loader, transformSync } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.tsx': 'tsx' };
/** A diff and a file of it may be larger than what Node reads from a process by default, 1 MB. */
const MAX_BYTES = 64 * 2 ** 20;

/** What `git` prints, in this repository or the one of a folder. Throws if it fails. */
export const git = (args: readonly string[], folder = ROOT): string =>
  execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: MAX_BYTES,
  }).trimEnd();

/**
 * The text of a file as far as it can change a figure. Of TypeScript that is its code without comments, types and format. Of any other
 * file it is all of it.
 */
export const measuredText = (path: string, text: string): string => {
  const loader = LOADERS[extname(path)];
  return loader ? transformSync(text, { loader, minifyWhitespace: true, legalComments: 'none' }).code : text.trimEnd();
};

/**
 * The files, of those that git's path specifications name, whose measured text differs between a commit and what is checked out; a file that is
 * added, moved or removed is one of them. Throws if the commit is not in the repository.
 */
export const changedFiles = (commit: string, specifications: readonly string[], folder = ROOT): string[] => {
  const differing = git(['diff', '--name-status', '--no-renames', '-z', commit, '--', ...specifications], folder);
  return [...differing.matchAll(/([A-Z])\0([^\0]+)\0/g)].flatMap(([, status, path = '']) => {
    const isSame = () =>
      measuredText(path, git(['show', `${commit}:${path}`], folder)) ===
      measuredText(path, readFileSync(join(folder, path), 'utf8'));
    return status === 'M' && isSame() ? [] : [path];
  });
};

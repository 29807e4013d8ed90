import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');
/** A diff and a file of it may be larger than what Node reads from a process by default, 1 MB. */
const MAX_BYTES = 64 * 2 ** 20;

/** What `git` prints, in this repository or the one of a folder. Throws if it fails. */
export const git = (args: readonly string[], folder = ROOT, env: NodeJS.ProcessEnv = {}): string =>
  execFileSync('git', args, {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: MAX_BYTES,
  }).trimEnd();

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly environment: string;
}

const processes = (): Process[] => {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!pid) return [];
    try {
      // `pid (name) state parent …`; the name may hold anything but ends with the last bracket.
      const status = readFileSync(`/proc/${name}/stat`, 'utf8');
      const parent = Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
      return [{ pid, parent, environment: readFileSync(`/proc/${name}/environ`, 'utf8') }];
    } catch {
      return [];
    }
  });
};

/**
 * The services and engines whose test was stopped before it could end them: the folder is in their environment, and they are no longer
 * descendants of this process. Descendants are workers and their processes, which end by themselves.
 */
const leftIn = (folder: string): number[] => {
  const all = new Map(processes().map((each) => [each.pid, each]));
  const isOurs = (pid: number): boolean => pid === process.pid || (all.has(pid) && isOurs(all.get(pid)?.parent ?? 0));
  return [...all.values()]
    .filter(({ pid, environment }) => environment.includes(folder) && !isOurs(pid))
    .map(({ pid }) => pid);
};

/**
 * Gives the run one folder for everything that tests store, and ends leftover processes: a worker that is stopped at its time limit
 * runs no `afterAll`, and a service that outlived the run would keep the pipe of `npm test` open.
 */
export default (): (() => void) => {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-run-'));
  process.env.TMPDIR = folder;
  // A hundred processes import the same packages: compiled once.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  // esbuild, tsc and tsgolint are Go programs that live for seconds: with a larger heap they collect less, for a quarter less processor time.
  process.env.GOGC ??= '400';
  return () => {
    for (const pid of leftIn(folder)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
};

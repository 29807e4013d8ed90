import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The processes whose environment names the folder: services and engines that a test was stopped before ending. */
const processesOf = (folder: string): number[] => {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!pid || pid === process.pid) return [];
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder) ? [pid] : [];
    } catch {
      return [];
    }
  });
};

/**
 * Gives the run one folder for everything that tests store, and ends what it leaves: a worker that is stopped at its
 * time limit runs no `afterAll`, and a service that outlived the run would hold its caller's pipe open for ever.
 */
export default (): (() => void) => {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-run-'));
  process.env.TMPDIR = folder;
  // A hundred processes import the same packages: compiled once.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  return () => {
    for (const pid of processesOf(folder)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
};

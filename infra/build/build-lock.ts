import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

const LOCK_TIMEOUT_MS = 300_000;

/**
 * Runs `work` while this process has exclusive access to the build folder; tests start many local stacks concurrently. The lock is a file
 * lock of the operating system, held through SQLite: it ends with the process, so it is never stale. Throws after LOCK_TIMEOUT_MS.
 */
export const withBuildLock = async <T>(outDir: string, work: () => Promise<T>): Promise<T> => {
  await mkdir(outDir, { recursive: true });
  const database = new DatabaseSync(join(outDir, '.lock'));
  try {
    // Not in SQLite's own exclusive mode: a try that fails in it keeps a shared lock, and two such processes wait for each other for ever.
    for (const deadline = Date.now() + LOCK_TIMEOUT_MS; ; await pause(20)) {
      try {
        database.exec('BEGIN EXCLUSIVE');
        break;
      } catch (error) {
        if (Date.now() > deadline) throw new Error(`Another process is building in ${outDir}.`, { cause: error });
      }
    }
    return await work();
  } finally {
    database.close();
  }
};

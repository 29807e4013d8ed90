import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

/**
 * Does something with a build folder while no other process builds into it: tests start many platforms at once. The lock is
 * the operating system's (SQLite holds it on a file), so it ends with its process and is never stale.
 */
export const withBuildFolder = async <T>(outDir: string, work: () => Promise<T>): Promise<T> => {
  await mkdir(outDir, { recursive: true });
  const database = new DatabaseSync(join(outDir, '.lock'));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    for (const deadline = Date.now() + PATIENCE_MS; ; await pause(20)) {
      try {
        database.exec('BEGIN EXCLUSIVE');
        break;
      } catch (error) {
        if (Date.now() > deadline) throw new Error(`Another process holds ${outDir}.`, { cause: error });
      }
    }
    return await work();
  } finally {
    database.close();
  }
};

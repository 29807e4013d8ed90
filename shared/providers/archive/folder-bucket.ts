import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { ArchiveBucket } from '../../domain/archive/ports.ts';

/** The archive of one machine: one file per object, in a folder. */
export const folderArchiveBucket = (folder: string): ArchiveBucket => ({
  async put(key, bytes) {
    const file = join(folder, key);
    const part = `${file}.${randomUUID()}.part`;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(part, bytes);
    // Atomic, also for concurrent readers.
    await rename(part, file);
  },
  async get(key) {
    try {
      return await readFile(join(folder, key));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  },
  remove: (key) => rm(join(folder, key), { force: true }),
  async *list(prefix) {
    const found = await readdir(join(folder, prefix), { recursive: true, withFileTypes: true }).catch(() => []);
    const keys = found
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.part'))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
    yield* keys.sort();
  },
});

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBuildLock } from '../../infra/build/build-lock.ts';
import { tablePartitions } from '../../infra/build/table-partitions.ts';

/** A JSON value that is made once a run: by the first process that needs it, while the others wait for it. */
export const onceARun = async <T>(name: string, make: () => Promise<T>): Promise<T> => {
  const file = join(tmpdir(), `${name}.json`);
  const makeFile = async () => {
    if (existsSync(file)) return;
    writeFileSync(`${file}.new`, JSON.stringify(await make()));
    renameSync(`${file}.new`, file);
  };
  if (!existsSync(file)) await withBuildLock(join(tmpdir(), name), makeFile);
  return JSON.parse(readFileSync(file, 'utf8')) as T;
};

/** The partitions that each function can write: all functions are compiled for it. */
export const partitionsOfRun = (): Promise<[path: string, patterns: readonly string[]][]> =>
  onceARun('table-partitions', async () => [...(await tablePartitions(join(import.meta.dirname, '../..')))]);

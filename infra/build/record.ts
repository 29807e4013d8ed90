import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What stands in a record's file; undefined when there is none, or half of one. */
export const readRecord = async <T>(file: string): Promise<T | undefined> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
};

export interface Replacement<T> {
  readonly folder: string;
  /** The file that says what stands in the folder. */
  readonly record: string;
  /** Fills a new, empty folder; what it answers is the record. */
  readonly fill: (folder: string) => Promise<T>;
}

/** Puts a new folder where the old one stood. The record goes first and comes last: without it, the next start builds again. */
export const replaceFolder = async <T>({ folder, record, fill }: Replacement<T>): Promise<T> => {
  const work = `${folder}.building`;
  // What a build that was killed left behind.
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  try {
    const made = await fill(work);
    await rm(record, { force: true });
    await rm(folder, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await rename(work, folder);
    await writeFile(record, `${JSON.stringify(made, null, 2)}\n`);
    return made;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
};

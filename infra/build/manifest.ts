import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Reads a manifest; undefined when the file is missing or incomplete. */
export const readManifest = async <T>(file: string): Promise<T | undefined> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
};

export interface Replacement<T> {
  readonly folder: string;
  /** Describes the folder's content. */
  readonly manifestFile: string;
  /** Fills a new, empty folder and returns its manifest. */
  readonly fill: (folder: string) => Promise<T>;
}

/**
 * Replaces a folder. The manifest is deleted before the old folder and written after the new one, so that after a crash midway the
 * next run builds again.
 */
export const replaceFolder = async <T>({ folder, manifestFile, fill }: Replacement<T>): Promise<T> => {
  const work = `${folder}.building`;
  // Left behind by a build that was killed.
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  try {
    const manifest = await fill(work);
    await rm(manifestFile, { force: true });
    await rm(folder, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await rename(work, folder);
    await writeFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
};

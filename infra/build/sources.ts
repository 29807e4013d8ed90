import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const sourcesIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && /\.(?:ts|js|css|json|md)$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
};

/** The paths of all functions under `functions/`, without `.ts`, with `/` on every operating system. */
export const listFunctions = async (functionsDir: string): Promise<string[]> =>
  (await sourcesIn(functionsDir))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => relative(functionsDir, file).replaceAll('\\', '/').replace(/\.ts$/, ''));

/** Files outside the folders that a build reads: installed versions, and what the service serves as documentation. */
const SINGLE_FILES = ['package-lock.json', 'openapi.json', 'docs/postman.json'];

/** A hash of everything that a build depends on: the functions, `shared/`, the guides, single files, and the build code itself. */
export const sourcesHash = async (root: string, functionsDir: string): Promise<string> => {
  const folders = [functionsDir, ...['shared', 'infra/build', 'docs/guides'].map((folder) => join(root, folder))];
  const files = [
    ...(await Promise.all(folders.map(sourcesIn))).flat(),
    ...SINGLE_FILES.map((file) => join(root, file)),
  ];
  const hash = createHash('sha256');
  const contents = await Promise.all(files.map((file) => readFile(file).catch(() => '')));
  files.forEach((file, index) => {
    hash.update(`\n${relative(root, file)}\n`).update(contents[index] ?? '');
  });
  return hash.digest('hex');
};

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { withBuildLock } from './build-lock.ts';
import { readManifest, replaceFolder } from './manifest.ts';

/** The inputs of the console's build. */
const SOURCES = ['console/src', 'console/public', 'sdk/typescript/src'];
const SINGLE_FILES = [
  'console/index.html',
  'console/vite.config.ts',
  'console/mantine-styles.ts',
  'infra/console/page.ts',
  'package-lock.json',
];

const filesIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

const hashOf = async (root: string): Promise<string> => {
  const found = (await Promise.all(SOURCES.map((folder) => filesIn(join(root, folder))))).flat().sort();
  const hash = createHash('sha256');
  for (const file of [...found, ...SINGLE_FILES.map((name) => join(root, name))])
    hash.update(`\n${relative(root, file)}\n`).update(await readFile(file).catch(() => ''));
  return hash.digest('hex');
};

/** In a separate process, so that the service does not keep its memory. */
const runVite = async (root: string, outDir: string): Promise<void> => {
  const vite = join(
    dirname(createRequire(join(root, 'console/package.json')).resolve('vite/package.json')),
    'bin/vite.js',
  );
  const config = join(root, 'console/vite.config.ts');
  const command = [vite, 'build', '--config', config, '--outDir', outDir, '--logLevel', 'error'];
  await promisify(execFile)(process.execPath, command, { cwd: root, env: { ...process.env, NODE_ENV: 'production' } });
};

/** The folder of the built console. */
export interface BuiltConsole {
  readonly folder: string;
  /** False when the earlier build was up to date. */
  readonly built: boolean;
}

/** Builds the console into `outDir`, by default `console/dist` under the root. Does nothing when no source changed. */
export const buildConsole = async ({
  root,
  outDir = join(root, 'console/dist'),
}: {
  readonly root: string;
  readonly outDir?: string | undefined;
}): Promise<BuiltConsole> => {
  const folder = join(outDir, 'site');
  const manifestFile = join(outDir, 'build.json');
  const hash = await hashOf(root);
  const isCurrent = async () => (await readManifest<{ hash: string }>(manifestFile))?.hash === hash;
  if (await isCurrent()) return { folder, built: false };
  return withBuildLock(outDir, async () => {
    // Another process may have built the same while this one waited for the lock.
    if (await isCurrent()) return { folder, built: false };
    const fill = async (into: string) => {
      await runVite(root, into);
      return { hash };
    };
    await replaceFolder({ folder, manifestFile, fill });
    return { folder, built: true };
  });
};

import { execFile } from 'node:child_process';
import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { onceARun } from '../support/once-a-run.ts';

const run = promisify(execFile);
export const ROOT = join(import.meta.dirname, '../..');
export const SDK = join(ROOT, 'sdk/typescript');

/** The compiler that most of the SDK's users have, and the project's own. */
export const COMPILERS = {
  'TypeScript 5': join(SDK, 'node_modules/typescript/bin/tsc'),
  'TypeScript 7': join(ROOT, 'node_modules/typescript/bin/tsc'),
} as const;

const isSource = (path: string): boolean => !['node_modules', 'dist'].includes(basename(path));

/** Builds the package in a folder of its own, with everything that lies beside it, and packs it as `npm publish` would. */
const pack = async (): Promise<string> => {
  const folder = join(tmpdir(), 'packed-sdk');
  const source = join(folder, 'package');
  await cp(SDK, source, { recursive: true, filter: isSource });
  await run(process.execPath, [COMPILERS['TypeScript 7'], '-p', source]);
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: source,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(folder, filename);
};

/** The file that would be published, made once a run. */
export const packedFile = (): Promise<string> => onceARun('packed-sdk-file', pack);

/** A new project in which only the packed file is installed, without a network. */
export const newProject = async (name: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), `sdk-${name}-`));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'loja', private: true, type: 'module' }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', await packedFile()], {
    cwd: folder,
  });
  return folder;
};

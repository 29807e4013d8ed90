import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

interface Manifest {
  readonly bin: string | Readonly<Record<string, string>>;
}

/** The script of a package's command, wherever the package keeps it. */
const scriptOf = (name: string, command: string): string => {
  const folder = join(ROOT, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const path = typeof bin === 'string' ? bin : bin[command];
  if (!path) throw new Error(`${name} has no command ${command}.`);
  return join(folder, path);
};

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly output: string;
}

/**
 * Runs a tool of the project on the Node that runs the tests, in the project's folder. On one thread, since the tests beside it have the other
 * processors: the type checker of oxlint and the compiler, Go programs, take a sixth less processor time there. Nor do they collect garbage
 * until they hold 6 GiB, for a fifth less than with the run's GOGC (run-folder.ts): nearly all that they allocate lives until they end.
 */
export const runTool = (name: string, command: string, args: readonly string[]): Promise<Finished> =>
  new Promise((resolve) => {
    const go = { GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: '6GiB' };
    const environment = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', ...go };
    const options = { cwd: ROOT, env: environment, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [scriptOf(name, command), ...args], options, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
      resolve({ code, stdout, output: `${stdout}\n${stderr}`.trim() });
    });
  });

const SOURCE_FOLDERS = ['functions', 'shared', 'infra', 'test', 'bench', 'console', 'sdk/typescript'];
const GENERATED = /(?:^|\/)(?:node_modules|dist|cdk\.out|\.build|\.local|sdk\/typescript\/src\/generated)\//;

/** Every TypeScript file of the project, by its path from the root. */
export const sourceFiles = (folders: readonly string[] = SOURCE_FOLDERS): string[] =>
  folders.flatMap((folder) => filesIn(folder).filter((file) => /\.tsx?$/.test(file)));

/** Every file under a folder, by its path from the root; none when there is no such folder. */
export const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(ROOT.length + 1)
          .replaceAll('\\', '/'),
      )
      .filter((file) => !GENERATED.test(file));
  } catch {
    return [];
  }
};

export const readSource = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

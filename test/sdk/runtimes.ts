import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './packed.ts';

const LOCAL_BINARIES = join(ROOT, 'node_modules/.bin');

/** The arguments with which a runtime runs a file. */
const ARGUMENTS = { node: [], deno: ['run', '--allow-net', '--allow-env'], bun: ['run'] } as const;
type Kind = keyof typeof ARGUMENTS;

export interface Runtime {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

const onPath = (kind: Kind): string[] =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, kind))
    .filter((file) => existsSync(file) && !file.startsWith(LOCAL_BINARIES));

const found = (kind: Kind, command: string): Runtime => {
  const version = execFileSync(command, ['--version'], { encoding: 'utf8' }).split('\n')[0]?.replace(/^\w+ /, '');
  return { name: `${kind} ${version?.replace(/^v/, '')}`, command, args: ARGUMENTS[kind] };
};

/** The Node that runs the tests, and the other runtimes of this machine: the Node that npm runs on, Deno and Bun where they are installed. */
export const runtimes = (): readonly Runtime[] => {
  const all = [
    found('node', process.execPath),
    ...(['node', 'deno', 'bun'] as const).flatMap((kind) => onPath(kind).map((command) => found(kind, command))),
  ];
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
};

/** The output of a file in a runtime. Throws its error output if it fails. */
export const runIn = async (
  { command, args }: Runtime,
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<string> => {
  const { stdout } = await promisify(execFile)(command, [...args, file], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', ...env },
  });
  return stdout;
};

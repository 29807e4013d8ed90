import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { CannotStart } from './cannot-start.ts';

/** Another running process owns the data directory. */
export class DataDirInUse extends CannotStart {
  override readonly name = 'DataDirInUse';
}

/** What the owner wrote down for whoever comes next. */
interface OwnerNote {
  readonly pid: number;
  readonly url?: string;
  /** Processes that the owner started and that outlive it when it is killed. */
  readonly children: readonly { readonly pid: number; readonly identity: string }[];
}

export interface DataDirLock {
  /** Adds to what is noted about this owner; children replace those noted before. */
  note(facts: { readonly url?: string; readonly childPids?: readonly number[] }): void;
  /** Stops the children that a killed owner left behind; answers with their pids. */
  stopOrphans(): Promise<number[]>;
  release(): void;
}

/**
 * What tells a process from a later one with the same number: when it started, and its command line.
 * Undefined when there is no such process.
 */
export const processIdentity = (pid: number): string | undefined => {
  try {
    if (process.platform !== 'linux')
      return (
        execFileSync('ps', ['-o', 'lstart=,command=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
      );
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startedAt] = [fields[0], fields[19]];
    if (state === 'Z') return undefined;
    return `${startedAt} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()}`;
  } catch {
    return undefined;
  }
};

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself.
  }
};

/** Asks a process to end, then makes it. Does nothing when the number belongs to another process by now. */
const stopProcess = async (pid: number, identity: string): Promise<boolean> => {
  if (processIdentity(pid) !== identity) return false;
  signal(pid, 'SIGTERM');
  for (let turn = 0; turn < 40 && processIdentity(pid) === identity; turn++) await pause(50);
  if (processIdentity(pid) === identity) signal(pid, 'SIGKILL');
  while (processIdentity(pid) === identity) await pause(20);
  return true;
};

const NOTE = 'owner.json';

/** What the present or the last owner of a data directory noted. */
const readOwnerNote = (dataDir: string): OwnerNote | undefined => {
  try {
    return JSON.parse(readFileSync(join(dataDir, NOTE), 'utf8')) as OwnerNote;
  } catch {
    return undefined;
  }
};

const refusal = (dataDir: string, owner: OwnerNote | undefined): DataDirInUse => {
  const who = owner ? `process ${owner.pid}${owner.url ? ` at ${owner.url}` : ''}` : 'another process';
  return new DataDirInUse(
    `The data directory ${dataDir} is in use by ${who}. Stop it first, or start this one with another DATA_DIR and PORT.`,
  );
};

const makeFolder = (dataDir: string): void => {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CannotStart(`The data directory ${dataDir} cannot be written (${code}). Name another with DATA_DIR.`);
  }
};

/**
 * Takes the data directory for this process. The lock is one of the operating system's (SQLite holds it on a file), which
 * ends with the process however it ends: a lock can never be stale. The pid beside it is for people and for orphans.
 */
export const lockDataDir = (folder: string): DataDirLock => {
  const dataDir = resolve(folder);
  makeFolder(dataDir);
  const noteFile = join(dataDir, NOTE);
  const database = new DatabaseSync(join(dataDir, 'lock'));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch {
    database.close();
    throw refusal(dataDir, readOwnerNote(dataDir));
  }
  const earlier = readOwnerNote(dataDir);
  // The earlier children stay noted until they are stopped: this process may be killed as well.
  let current: OwnerNote = { pid: process.pid, children: earlier?.children ?? [] };
  const add = (facts: Partial<OwnerNote>) => {
    current = { ...current, ...facts };
    writeFileSync(`${noteFile}.new`, JSON.stringify(current));
    renameSync(`${noteFile}.new`, noteFile);
  };
  add({});
  return {
    note: ({ childPids, ...facts }) => {
      const children = childPids?.map((pid) => ({ pid, identity: processIdentity(pid) ?? '' }));
      add({ ...facts, ...(children ? { children } : {}) });
    },
    stopOrphans: async () => {
      const stopped: number[] = [];
      for (const { pid, identity } of earlier?.children ?? []) if (await stopProcess(pid, identity)) stopped.push(pid);
      add({ children: [] });
      return stopped;
    },
    release: () => {
      rmSync(noteFile, { force: true });
      database.close();
    },
  };
};

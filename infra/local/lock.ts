import { execFileSync } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { orUndefined } from '../../shared/domain/core/or-undefined.ts';
import { CannotStart } from './cannot-start.ts';

/** Another running process holds the data directory's lock. */
export class DataDirInUse extends CannotStart {
  override readonly name = 'DataDirInUse';
}

/** The owner's note, `owner.json`. */
interface OwnerNote {
  readonly pid: number;
  readonly url?: string;
  /** Child processes, which outlive an owner that is killed. */
  readonly children: readonly { readonly pid: number; readonly identity: string }[];
}

/** The lock of a data directory, held until `release` or the end of the process. */
export interface DataDirLock {
  /** Updates this owner's note; `childPids` replaces the children noted before. */
  note(facts: { readonly url?: string; readonly childPids?: readonly number[] }): void;
  /** Stops the children that a killed owner left behind. Returns their pids. */
  stopOrphans(): Promise<number[]>;
  release(): void;
}

/** Start time and command line of a process, which distinguish it from a later one with the same pid. Undefined if there is none. */
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
    // Already ended.
  }
};

/** Stops a process: SIGTERM, and SIGKILL after 2 s. Does nothing when the pid belongs to another process by now. */
const stopProcess = async (pid: number, identity: string): Promise<boolean> => {
  if (processIdentity(pid) !== identity) return false;
  signal(pid, 'SIGTERM');
  for (let poll = 0; poll < 40 && processIdentity(pid) === identity; poll++) await pause(50);
  if (processIdentity(pid) === identity) signal(pid, 'SIGKILL');
  while (processIdentity(pid) === identity) await pause(20);
  return true;
};

const NOTE = 'owner.json';

/** The note of the current or last owner. */
const readOwnerNote = (dataDir: string): OwnerNote | undefined =>
  orUndefined(() => JSON.parse(readFileSync(join(dataDir, NOTE), 'utf8')));

const inUseError = (dataDir: string, owner: OwnerNote | undefined): DataDirInUse => {
  const who = owner ? `process ${owner.pid}${owner.url ? ` at ${owner.url}` : ''}` : 'another process';
  return new DataDirInUse(
    `The data directory ${dataDir} is in use by ${who}. Stop it first, or start this one with another DATA_DIR and PORT.`,
  );
};

const makeFolder = (dataDir: string): void => {
  try {
    mkdirSync(dataDir, { recursive: true });
    // For the owner alone: the folder holds the root key and all messages.
    chmodSync(dataDir, 0o700);
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CannotStart(`The data directory ${dataDir} cannot be written (${code}). Choose another with DATA_DIR.`);
  }
};

/**
 * Locks the data directory for this process; throws DataDirInUse when another holds it. The lock is a file lock of the operating system,
 * held through SQLite: it ends with the process, so it is never stale. The note beside it is for error messages and for orphans.
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
    throw inUseError(dataDir, readOwnerNote(dataDir));
  }
  const earlier = readOwnerNote(dataDir);
  // Earlier children stay recorded until `stopOrphans`, since this process may be killed before that.
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

import type { Id } from '../core/ids.ts';
import type { SmppAccountStore } from './account.ts';
import type { NoticeQueue } from './notice.ts';

/** How often an account is checked for waiting notices (ms). */
export const WATCH_MS = 3_600_000;
/** How long a due notice may wait before it is reported: well before it is dropped (ms). */
export const MAX_WAIT_MS = 3_600_000;

/** The hourly check of an account for waiting notices, from its first bind until it is deleted. */
export interface Watch {
  readonly accountId: Id<'smppAccount'>;
  readonly organizationId: Id<'organization'>;
  /** When the next check is due (ms). */
  readonly dueAt: number;
}

/** The watches of a stage. Each write is one conditional write. */
export interface WatchStore {
  /** Starts a watch, unless there is one. */
  begin(watch: Watch): Promise<void>;
  read(accountId: Watch['accountId']): Promise<Watch | undefined>;
  /** Moves the next check to `dueAt`; false where another process did. */
  move(watch: Watch, dueAt: number): Promise<boolean>;
  end(accountId: Watch['accountId']): Promise<void>;
}

export interface WatchPorts {
  readonly clock: () => number;
  readonly accounts: Pick<SmppAccountStore, 'read'>;
  readonly notices: Pick<NoticeQueue, 'waitsSince'>;
  readonly watches: WatchStore;
  /** A notice has been due for longer than `MAX_WAIT_MS`, and no process has tried to deliver it. */
  readonly waitsTooLong: (watch: Watch) => void;
}

/**
 * Checks an account for waiting notices (docs/operating.md#smpp): without a receiver no process tries to deliver them, so none would report
 * it. Each check reports once, however many processes run it.
 */
export const workOnWatch = async (ports: WatchPorts, accountId: Watch['accountId']): Promise<void> => {
  const { clock, accounts, notices, watches } = ports;
  const now = clock();
  const watch = await watches.read(accountId);
  if (!watch || watch.dueAt > now) return;
  if (!(await accounts.read(watch.organizationId, accountId))) return watches.end(accountId);
  const since = await notices.waitsSince(accountId);
  if (!(await watches.move(watch, now + WATCH_MS))) return;
  if (since !== undefined && since <= now - MAX_WAIT_MS) ports.waitsTooLong(watch);
};

import type { Id } from '../core/ids.ts';
import type { SmppAccountStore } from './account.ts';
import type { NoticeQueue } from './notice.ts';

/** How often it is looked whether an account is told what waits for it (ms). */
export const WATCH_MS = 3_600_000;
/** How long what could be told may wait before somebody is to know: long before it is dropped (ms). */
export const UNHEARD_MS = 3_600_000;

/** That an account is looked after: from its first bind until it is deleted. */
export interface Watch {
  readonly accountId: Id<'smppAccount'>;
  readonly organizationId: Id<'organization'>;
  /** When it is looked at next (ms). */
  readonly dueAt: number;
}

/** The watches of a stage. Each write is one conditional write. */
export interface WatchStore {
  /** Begins a watch, unless there is one. */
  begin(watch: Watch): Promise<void>;
  read(accountId: Watch['accountId']): Promise<Watch | undefined>;
  /** Moves it to a later look; false where another process did. */
  move(watch: Watch, dueAt: number): Promise<boolean>;
  end(accountId: Watch['accountId']): Promise<void>;
}

export interface WatchPorts {
  readonly clock: () => number;
  readonly accounts: Pick<SmppAccountStore, 'read'>;
  readonly notices: Pick<NoticeQueue, 'waitsSince'>;
  readonly watches: WatchStore;
  /** Something has waited for long that nobody has tried to tell. */
  readonly unheard: (watch: Watch) => void;
}

/**
 * Looks whether what waits for an account is told (docs/operating.md#smpp): nobody does while it has no receiver, and no process sees that. Each look
 * is counted once, whoever works on it.
 */
export const workOnWatch = async (ports: WatchPorts, accountId: Watch['accountId']): Promise<void> => {
  const { clock, accounts, notices, watches } = ports;
  const now = clock();
  const watch = await watches.read(accountId);
  if (!watch || watch.dueAt > now) return;
  if (!(await accounts.read(watch.organizationId, accountId))) return watches.end(accountId);
  const since = await notices.waitsSince(accountId);
  if (!(await watches.move(watch, now + WATCH_MS))) return;
  if (since !== undefined && since <= now - UNHEARD_MS) ports.unheard(watch);
};

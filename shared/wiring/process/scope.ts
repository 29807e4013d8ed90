import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields of a log line: ids, codes, numbers; never personal data. */
export type LogFields = Record<string, string | number | undefined>;

/** State of one invocation. */
interface Scope {
  /** Ids and outcomes for its one log line. */
  readonly logFields: LogFields;
  /** Promises to await before the function answers: Lambda freezes the process between invocations. */
  readonly pending: Promise<unknown>[];
  /** When it started, and when Lambda ends it (`performance.now()`). */
  readonly startedAt: number;
  readonly endsAt: number;
}

const current = new AsyncLocalStorage<Scope>();

/** Runs an invocation in its own scope: a process may run several concurrently. `lastsMs`: its time limit. */
export const inScope = <T>(work: () => Promise<T>, lastsMs = 0): Promise<T> => {
  const startedAt = performance.now();
  return current.run({ logFields: {}, pending: [], startedAt, endsAt: startedAt + lastsMs }, work);
};

/** The share of an invocation during which a call may retry conflicts: of 28 s it leaves a provider's 10 s and the settlement. */
const CONFLICT_SHARE = 0.57;
/** The minimum time for a late call, and the time reserved for the response, in ms. */
const LATE_CALL_MS = 3_000;
const ANSWER_MS = 1_500;

/** How long a call that started at `callStartedAt` may keep retrying conflicts, in ms from now (`ConflictPatience`). */
export const conflictPatience = (callStartedAt: number): number => {
  const scope = current.getStore();
  if (!scope) return 0;
  const { startedAt, endsAt } = scope;
  const until = Math.max(startedAt + (endsAt - startedAt) * CONFLICT_SHARE, callStartedAt + LATE_CALL_MS);
  return Math.min(until, endsAt - ANSWER_MS) - performance.now();
};

/** The remaining time of the current invocation, in ms; undefined without a limit. */
export const remainingMs = (): number => (current.getStore()?.endsAt ?? 0) - performance.now();

/** Adds ids and outcomes to the current invocation's log line. */
export const addLogFields = (fields: LogFields): void => {
  const scope = current.getStore();
  if (scope) Object.assign(scope.logFields, fields);
};

/** The fields added to the current invocation's log line. */
export const logFields = (): LogFields => current.getStore()?.logFields ?? {};

/** Delays the current invocation's answer until `work` has settled. */
export const finishBeforeAnswer = (work: Promise<unknown>): void => {
  current.getStore()?.pending.push(work);
};

/** Waits until all pending work of the current invocation has settled. */
export const finishPending = async (): Promise<void> => {
  const pending = current.getStore()?.pending.splice(0) ?? [];
  if (pending.length > 0) await Promise.allSettled(pending);
};

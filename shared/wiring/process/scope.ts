import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields of a log line: ids, codes, numbers; never personal data. */
export type LogFields = Record<string, string | number | undefined>;

/** State of one invocation. */
interface Scope {
  /** Ids and outcomes for its one log line. */
  readonly logFields: LogFields;
  /** Promises to await before the function answers: Lambda freezes the process between invocations. */
  readonly pending: Promise<unknown>[];
}

const current = new AsyncLocalStorage<Scope>();

/** Runs an invocation in its own scope: a process may run several concurrently. */
export const inScope = <T>(work: () => Promise<T>): Promise<T> => current.run({ logFields: {}, pending: [] }, work);

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

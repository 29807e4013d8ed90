import { AsyncLocalStorage } from 'node:async_hooks';

export type Notes = Record<string, string | number | undefined>;

/** One request, one queue record or one scheduled run, while its rules are at work. */
interface Scope {
  /** Ids and outcomes for the one line that is logged of it. */
  readonly notes: Notes;
  /** What must be through before the function answers: a Lambda is frozen from its answer to its next event. */
  readonly pending: Promise<unknown>[];
}

const current = new AsyncLocalStorage<Scope>();

/** Runs a piece of work in a scope of its own, and ends when all that it left behind has ended too. */
export const inScope = async <T>(work: () => Promise<T>, notes: Notes = {}): Promise<T> => {
  const pending: Promise<unknown>[] = [];
  try {
    return await current.run({ notes, pending }, work);
  } finally {
    if (pending.length > 0) await Promise.allSettled(pending);
  }
};

/** Adds ids and outcomes to the line that is logged of the current request. */
export const note = (fields: Notes): void => {
  const scope = current.getStore();
  if (scope) Object.assign(scope.notes, fields);
};

/** Keeps the current scope open until `work` has ended, however it ends. */
export const beforeAnswer = (work: Promise<unknown>): void => {
  current.getStore()?.pending.push(work);
};

import { isRefusal, type Refusal, Unavailable } from './errors.ts';

/** Returned by an operation that lost an optimistic write: the row changed between read and write. */
export const CONFLICT = Symbol('conflict');
/** Each round lets at least one contender through, so up to this many concurrent writers all succeed. */
const MAX_ATTEMPTS = 16;

/** Repeats a read-modify-write until it doesn't conflict. Throws Unavailable (503) after MAX_ATTEMPTS conflicts. */
export const retryOnConflict = async <T>(
  what: string,
  operation: (attempt: number) => Promise<T | typeof CONFLICT>,
): Promise<T> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const outcome = await operation(attempt);
    if (outcome !== CONFLICT) return outcome;
  }
  throw new Unavailable(`${what} changed at every attempt.`);
};

/**
 * Idempotent delete. If the row is gone on a retry, the delete succeeded: our own response was lost, or someone else deleted it
 * concurrently. `remove` returns false on a conflict, or a refusal.
 */
export const removeOnce = <Found, Removed extends boolean | Refusal>(
  what: string,
  find: () => Promise<Found>,
  remove: (found: Exclude<Found, Refusal>) => Promise<Removed>,
): Promise<undefined | Extract<Found | Removed, Refusal>> =>
  retryOnConflict(what, async (attempt) => {
    const found = await find();
    if (isRefusal(found)) return attempt === 0 ? (found as Extract<Found, Refusal>) : undefined;
    const removed = await remove(found as Exclude<Found, Refusal>);
    if (isRefusal(removed)) return removed as Extract<Removed, Refusal>;
    return removed ? undefined : CONFLICT;
  });

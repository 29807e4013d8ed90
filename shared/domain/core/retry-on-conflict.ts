import { isRefusal, type Refusal, Unavailable } from './errors.ts';
import { pause } from './pause.ts';

/** Returned by an operation that lost an optimistic write: the row changed between read and write. */
export const CONFLICT = Symbol('conflict');
/** Attempts of work that nobody waits for. Each round lets one contender through at least, so that so many at once all succeed. */
const MIN_ATTEMPTS = 16;
/** The longest wait after each conflict, in ms, with full jitter: the more of them, the more writers there are. The last one repeats. */
const WAITS_MS = [10, 20, 40, 80, 160, 320, 640] as const;
const LAST_WAIT_MS = 1_000;

/**
 * How long work that began at `startedAt` (`performance.now()`) may go on meeting the changes of others, in ms from now; 0 where nobody says how long
 * its caller waits.
 */
export type ConflictPatience = (startedAt: number) => number;
let patience: ConflictPatience = () => 0;
/** Tells this process how long its callers wait. */
export const setConflictPatience = (of: ConflictPatience): void => {
  patience = of;
};

/**
 * Repeats a read-modify-write until it doesn't conflict: with waits that grow, for as long as its caller waits, and at least so often that a few
 * writers all succeed. Then throws Unavailable (503).
 */
export const retryOnConflict = async <T>(
  what: string,
  operation: (attempt: number) => Promise<T | typeof CONFLICT>,
): Promise<T> => {
  const startedAt = performance.now();
  for (let attempt = 0; ; attempt++) {
    const outcome = await operation(attempt);
    if (outcome !== CONFLICT) return outcome;
    const left = patience(startedAt);
    if (left > 0) await pause(Math.random() * Math.min(WAITS_MS[attempt] ?? LAST_WAIT_MS, left));
    else if (attempt + 1 >= MIN_ATTEMPTS) throw new Unavailable(`${what} changed at every attempt.`);
  }
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

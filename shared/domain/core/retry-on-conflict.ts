import { isRefusal, type Refusal, Unavailable } from './errors.ts';
import { pause } from './pause.ts';

/** Returned by an operation that lost an optimistic write: the row changed between read and write. */
export const CONFLICT = Symbol('conflict');
/**
 * Attempts of background work. Each round lets at least one contender through, so that this many concurrent writers all
 * succeed.
 */
const MIN_ATTEMPTS = 16;
/**
 * The longest wait after each conflict, in ms, with full jitter; it grows because repeated conflicts mean more writers.
 * The last one repeats.
 */
const WAITS_MS = [10, 20, 40, 80, 160, 320, 640] as const;
const LAST_WAIT_MS = 1_000;

/**
 * How long work that started at `startedAt` (`performance.now()`) may keep retrying on conflicts, in ms from now; 0 if
 * no deadline of a caller is known.
 */
export type ConflictPatience = (startedAt: number) => number;
let patience: ConflictPatience = () => 0;
/** Sets how long this process's callers wait. */
export const setConflictPatience = (of: ConflictPatience): void => {
  patience = of;
};

/**
 * Repeats a read-modify-write until it succeeds without a conflict, with growing waits, as long as its caller waits,
 * but at least often enough for a few concurrent writers to all succeed. Then throws Unavailable (503).
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

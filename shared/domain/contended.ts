import { isRefusal, type Refusal, Unavailable } from './errors.ts';

/** What an attempt answers whose row was changed between its reading and its writing. */
export const MOVED = Symbol('moved');
/** At every turn one of those who contend for a row gets through, so that so many at once all do. */
const TURNS = 16;

/** Reads and writes anew until nobody came between. Unavailable (503) when somebody did at every turn. */
export const untilStored = async <T>(
  what: string,
  attempt: (turn: number) => Promise<T | typeof MOVED>,
): Promise<T> => {
  for (let turn = 0; turn < TURNS; turn++) {
    const outcome = await attempt(turn);
    if (outcome !== MOVED) return outcome;
  }
  throw new Unavailable(`${what} moved at every try.`);
};

/**
 * Removes what `find` finds. What is gone at a later turn is removed: this call's own answer was lost, or another removed it at the same
 * moment. `remove` answers false where it was changed meanwhile, or refuses.
 */
export const removeOnce = <Found, Removed extends boolean | Refusal>(
  what: string,
  find: () => Promise<Found>,
  remove: (found: Exclude<Found, Refusal>) => Promise<Removed>,
): Promise<undefined | Extract<Found | Removed, Refusal>> =>
  untilStored(what, async (turn) => {
    const found = await find();
    if (isRefusal(found)) return turn === 0 ? (found as Extract<Found, Refusal>) : undefined;
    const removed = await remove(found as Exclude<Found, Refusal>);
    if (isRefusal(removed)) return removed as Extract<Removed, Refusal>;
    return removed ? undefined : MOVED;
  });

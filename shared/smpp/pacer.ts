import type { Timers } from './timers.ts';

/** Requests that may leave at once when none has for a while, of a second's. */
const BURST_SHARE = 0.1;

/** Spreads requests evenly over time: at most `perSecond`, with bursts of a tenth of that. */
export class Pacer {
  readonly #timers: Timers;
  #intervalMs: number;
  #toleranceMs: number;
  /** When the next one would be on time. */
  #nextAt = 0;

  constructor(timers: Timers, perSecond: number) {
    this.#timers = timers;
    this.#intervalMs = 1_000 / perSecond;
    this.#toleranceMs = this.#intervalMs * Math.max(0, Math.ceil(perSecond * BURST_SHARE) - 1);
  }

  /** Takes the next turn, and how long it is until that (ms); undefined, with nothing taken, if it is longer than `maxMs`. */
  take(maxMs: number): number | undefined {
    const now = this.#timers.now();
    const due = Math.max(this.#nextAt, now);
    const waitMs = Math.max(0, due - this.#toleranceMs - now);
    if (waitMs > maxMs) return undefined;
    this.#nextAt = due + this.#intervalMs;
    return waitMs;
  }

  /** Lets nothing leave for some ms: the peer asked for fewer. */
  rest(ms: number): void {
    this.#nextAt = Math.max(this.#nextAt, this.#timers.now() + ms + this.#toleranceMs);
  }
}

import type { Timers } from './timers.ts';

/** The burst after a pause, as a share of one second's requests. */
const BURST_SHARE = 0.1;

/** Spreads requests evenly over time: at most `perSecond`, with bursts of a tenth of that. */
export class Pacer {
  readonly #timers: Timers;
  #intervalMs: number;
  #toleranceMs: number;
  /** When the next request is on schedule. */
  #nextAt = 0;

  constructor(timers: Timers, perSecond: number) {
    this.#timers = timers;
    this.#intervalMs = 1_000 / perSecond;
    this.#toleranceMs = this.#intervalMs * Math.max(0, Math.ceil(perSecond * BURST_SHARE) - 1);
  }

  /** Reserves the next slot, and returns the time until it (ms); undefined, without reserving, if that is longer than `maxMs`. */
  take(maxMs: number): number | undefined {
    const now = this.#timers.now();
    const due = Math.max(this.#nextAt, now);
    const waitMs = Math.max(0, due - this.#toleranceMs - now);
    if (waitMs > maxMs) return undefined;
    this.#nextAt = due + this.#intervalMs;
    return waitMs;
  }

  /** Pauses for some ms: the peer is throttling. */
  rest(ms: number): void {
    this.#nextAt = Math.max(this.#nextAt, this.#timers.now() + ms + this.#toleranceMs);
  }
}

import type { Timers } from './timers.ts';

/** A semaphore: the other requests wait, in order, each up to its own limit. */
export class Gate {
  readonly #timers: Timers;
  readonly #waiting = new Set<(entered: boolean) => void>();
  #free: number;

  constructor(timers: Timers, places: number) {
    this.#timers = timers;
    this.#free = places;
  }

  /** True once a place is acquired, which `leave` releases; false if none was free in time. */
  enter(maxMs: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve(true);
    }
    if (maxMs <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (entered: boolean) => {
        this.#waiting.delete(settle);
        cancel();
        resolve(entered);
      };
      const cancel = this.#timers.after(maxMs, () => settle(false));
      this.#waiting.add(settle);
    });
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next) next(true);
    else this.#free++;
  }
}

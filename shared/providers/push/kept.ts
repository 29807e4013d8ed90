import { createHash } from 'node:crypto';

/** What was made, and until when it may be handed out again, in ms. */
export interface Made<T> {
  readonly value: T;
  readonly until: number;
}

/** How many keys a process remembers: apps and push services in use at a time. The one made first leaves first. */
const MOST = 1_000;

/**
 * Values that cost a signature or a call and stay good for a while. Whoever asks while one is being made waits for that one;
 * one that could not be made is not remembered.
 */
export class Kept<T> {
  readonly #made = new Map<string, Promise<Made<T>>>();

  async get(key: string, now: number, make: () => Promise<Made<T>>): Promise<T> {
    const held = this.#made.get(key);
    if (held) {
      const { value, until } = await held;
      if (now < until) return value;
      // Somebody else may have begun the next one while this one was looked at.
      const next = this.#made.get(key);
      if (next && next !== held) return (await next).value;
    }
    return this.#begin(key, make);
  }

  /** Forgets a value that turned out not to be good any more; one that was made meanwhile stays. */
  async forget(key: string, value: T): Promise<void> {
    const held = this.#made.get(key);
    if ((await held)?.value === value && this.#made.get(key) === held) this.#made.delete(key);
  }

  async #begin(key: string, make: () => Promise<Made<T>>): Promise<T> {
    const making = make();
    this.#made.delete(key);
    this.#made.set(key, making);
    const [oldest] = this.#made.keys();
    if (this.#made.size > MOST && oldest !== undefined) this.#made.delete(oldest);
    try {
      return (await making).value;
    } catch (fault) {
      if (this.#made.get(key) === making) this.#made.delete(key);
      throw fault;
    }
  }
}

/** A key for what is kept of credentials: another for every change in them, and telling nothing of them. */
export const keyOf = (credentials: object, ...more: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([credentials, ...more]))
    .digest('base64url');

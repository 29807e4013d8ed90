import { createHash } from 'node:crypto';

/** A cached value; `until` in ms. */
export interface CacheEntry<T> {
  readonly value: T;
  readonly until: number;
}

/** Cached keys per process: apps and push services in use. The oldest entry is evicted first. */
const MAX_ENTRIES = 1_000;

/** A single-flight cache of values that cost a signature or a call: concurrent callers share one creation. Failures are not cached. */
export class SingleFlightCache<T> {
  readonly #entries = new Map<string, Promise<CacheEntry<T>>>();

  async get(key: string, now: number, make: () => Promise<CacheEntry<T>>): Promise<T> {
    const cached = this.#entries.get(key);
    if (cached) {
      const { value, until } = await cached;
      if (now < until) return value;
      // Another caller may have replaced it while this one awaited.
      const next = this.#entries.get(key);
      if (next && next !== cached) return (await next).value;
    }
    return this.#create(key, make);
  }

  /** Removes a value that is no longer valid, unless it was replaced meanwhile. */
  async forget(key: string, value: T): Promise<void> {
    const cached = this.#entries.get(key);
    if ((await cached)?.value === value && this.#entries.get(key) === cached) this.#entries.delete(key);
  }

  async #create(key: string, make: () => Promise<CacheEntry<T>>): Promise<T> {
    const entry = make();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    try {
      return (await entry).value;
    } catch (fault) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw fault;
    }
  }
}

/** A cache key that changes with the credentials and does not reveal them. */
export const cacheKeyOf = (credentials: object, ...more: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([credentials, ...more]))
    .digest('base64url');

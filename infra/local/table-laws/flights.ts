/** A write's or a transaction's hold of its items. */
export interface Flight {
  /** When the single writes before it are done. */
  readonly ready: Promise<unknown>;
  end(): void;
}

/**
 * Writers of each item (transaction-apis.html, "Transaction conflict handling"): a transaction on an item of another transaction in flight
 * is cancelled, and so is a single write of such an item; a transactional read also conflicts with single writes. A condition check counts
 * as a write of its item. Single writes never conflict with each other: they are serialized, and a transaction waits for earlier ones.
 * Guessed: of two conflicting calls, the later is rejected.
 */
export class Flights {
  readonly #transactions = new Set<string>();
  /** The end of the last single write of each item. */
  readonly #writes = new Map<string, Promise<void>>();

  /** How many items are in a transaction. */
  get inFlight(): number {
    return this.#transactions.size;
  }

  /** Whether a transactional read of the item conflicts. */
  isWritten(item: string): boolean {
    return this.#transactions.has(item) || this.#writes.has(item);
  }

  /** The transaction's flight, or the places of its items that are in another one. */
  beginTransaction(items: readonly string[]): Flight | { readonly conflicts: readonly number[] } {
    const conflicts = items.flatMap((item, place) => (this.#transactions.has(item) ? [place] : []));
    if (conflicts.length > 0) return { conflicts };
    for (const item of items) this.#transactions.add(item);
    return {
      ready: Promise.all(items.map(async (item) => this.#writes.get(item))),
      end: () => {
        for (const item of items) this.#transactions.delete(item);
      },
    };
  }

  /** The single write's flight; undefined when a transaction has the item. */
  beginWrite(item: string): Flight | undefined {
    if (this.#transactions.has(item)) return undefined;
    const before = this.#writes.get(item);
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = Promise.all([before, promise]).then(() => undefined);
    this.#writes.set(item, done);
    return {
      ready: before ?? Promise.resolve(),
      end: () => {
        resolve();
        if (this.#writes.get(item) === done) this.#writes.delete(item);
      },
    };
  }
}

/** A sorted list that is read in pages; undefined at its end. A page may be empty. */
export type Source<T> = () => Promise<readonly T[] | undefined>;

/** A source with the items that were read but not yet taken. */
class Head<T> {
  readonly #source: Source<T>;
  #piece: readonly T[] = [];
  #at = 0;
  #ended = false;
  constructor(source: Source<T>) {
    this.#source = source;
  }
  /** Reads on until there is an item, or the source ends. */
  async fill(): Promise<void> {
    while (this.#at >= this.#piece.length && !this.#ended) {
      const page = await this.#source();
      this.#ended = page === undefined;
      this.#piece = page ?? [];
      this.#at = 0;
    }
  }
  first(): T | undefined {
    return this.#piece[this.#at];
  }
  take(): void {
    this.#at++;
  }
}

/**
 * Several lists as one, each sorted descending by `orderOf`, or ascending if `newestFirst` is false. Each list is only read up to the page
 * in which the last taken item is.
 */
export class Merged<T> {
  readonly #heads: readonly Head<T>[];
  readonly #orderOf: (item: T) => string;
  readonly #newestFirst: boolean;
  #opened = false;
  #latest: Head<T> | undefined;
  constructor(sources: readonly Source<T>[], orderOf: (item: T) => string, newestFirst = true) {
    this.#heads = sources.map((source) => new Head(source));
    this.#orderOf = orderOf;
    this.#newestFirst = newestFirst;
  }

  /** The list whose first item is next. */
  #next(): Head<T> | undefined {
    let next: Head<T> | undefined;
    let order = '';
    for (const head of this.#heads) {
      const item = head.first();
      if (item === undefined) continue;
      const itsOrder = this.#orderOf(item);
      if (next && (this.#newestFirst ? itsOrder <= order : itsOrder >= order)) continue;
      next = head;
      order = itsOrder;
    }
    return next;
  }

  /** The next items, fewer at the end of all lists. */
  async take(count: number): Promise<T[]> {
    if (!this.#opened) await Promise.all(this.#heads.map((head) => head.fill()));
    this.#opened = true;
    const taken: T[] = [];
    while (taken.length < count) {
      // Filled only when the next item is needed: nothing is read after the last one of a page.
      if (this.#latest?.first() === undefined) await this.#latest?.fill();
      const next = this.#next();
      if (!next) break;
      taken.push(next.first() as T);
      next.take();
      this.#latest = next;
    }
    return taken;
  }
}

/** The items `skip` to `skip + limit` of several merged lists. */
export const mergeNewest = async <T>(
  sources: readonly Source<T>[],
  orderOf: (item: T) => string,
  skip: number,
  limit: number,
  newestFirst = true,
): Promise<T[]> => (await new Merged(sources, orderOf, newestFirst).take(skip + limit)).slice(skip);

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
      const piece = await this.#source();
      this.#ended = piece === undefined;
      this.#piece = piece ?? [];
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
 * The items `skip` to `skip + limit` of several merged lists, each sorted descending by `orderOf`, or ascending if `newestFirst` is false.
 * Each list is only read up to the page in which the result ends.
 */
export const mergeNewest = async <T>(
  sources: readonly Source<T>[],
  orderOf: (item: T) => string,
  skip: number,
  limit: number,
  newestFirst = true,
): Promise<T[]> => {
  const heads = sources.map((source) => new Head(source));
  await Promise.all(heads.map((head) => head.fill()));
  const taken: T[] = [];
  let latest: Head<T> | undefined;
  for (let place = 0; place < skip + limit; place++) {
    // Filled only when the next item is needed: nothing is read after the last one of a page.
    if (latest?.first() === undefined) await latest?.fill();
    let newest: Head<T> | undefined;
    let order = '';
    for (const head of heads) {
      const item = head.first();
      if (item === undefined) continue;
      const itsOrder = orderOf(item);
      if (newest && (newestFirst ? itsOrder <= order : itsOrder >= order)) continue;
      newest = head;
      order = itsOrder;
    }
    if (!newest) break;
    if (place >= skip) taken.push(newest.first() as T);
    newest.take();
    latest = newest;
  }
  return taken;
};

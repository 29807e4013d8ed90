/* oxlint-disable unicorn/no-thenable, promise/no-callback-in-promise -- awaiting a list gives its first page. */
/** How pages follow each other. */
export interface Paging<Page, Item> {
  /** The query of the first page. */
  readonly query: object | undefined;
  /** Requests a page. */
  readonly read: (query: object | undefined) => Promise<Page>;
  readonly itemsOf: (page: Page) => readonly Item[];
  /** The additional query of the next page; undefined at the end. */
  readonly next: (page: Page, query: object | undefined) => object | undefined;
}

/**
 * A list that comes in pages. `for await` gives its items one by one and requests each page when its first item is wanted; `await` gives the first
 * page. Nothing is requested before.
 */
export class Pages<Page, Item> implements Promise<Page>, AsyncIterable<Item> {
  readonly [Symbol.toStringTag] = 'Pages';
  readonly #paging: Paging<Page, Item>;
  #first: Promise<Page> | undefined;

  constructor(paging: Paging<Page, Item>) {
    this.#paging = paging;
  }

  /** The pages one by one, each requested when it is wanted. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    const { query: first, read, next } = this.#paging;
    for (let query = first, more = true; more; ) {
      const page = await read(query);
      yield page;
      const rest = next(page, query);
      more = rest !== undefined;
      query = { ...first, ...rest };
    }
  }

  /** The items one by one. An item that moved to the next page while this one was read is given once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let before: ReadonlySet<unknown> = new Set();
    for await (const page of this.pages()) {
      const items = this.#paging.itemsOf(page);
      for (const item of items) if (!before.has(idOf(item) ?? item)) yield item;
      before = new Set(items.flatMap((item) => idOf(item) ?? []));
    }
  }

  /** The first page: requested once, however often it is awaited. */
  // biome-ignore lint/suspicious/noThenProperty: awaiting the list gives its first page.
  then<Done = Page, Failed = never>(
    done?: ((page: Page) => Done | PromiseLike<Done>) | null,
    failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    return this.#firstPage().then(done, failed);
  }

  catch<Failed = never>(failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null): Promise<Page | Failed> {
    return this.#firstPage().catch(failed);
  }

  finally(after?: (() => void) | null): Promise<Page> {
    return this.#firstPage().finally(after);
  }

  #firstPage(): Promise<Page> {
    this.#first ??= this.#paging.read(this.#paging.query);
    return this.#first;
  }
}

const idOf = (item: unknown): string | undefined =>
  typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string' ? item.id : undefined;

import { Pages, type Paging } from './pages.ts';
import type { Call, CsvPage, RequestOptions } from './request.ts';

interface ListPage<Item> {
  readonly items: readonly Item[];
}
interface CountedPage<Item> extends ListPage<Item> {
  /** Of all pages. */
  readonly total: number;
}
interface CursorPage {
  readonly nextCursor?: string | null;
}
interface SequencePage<Item> extends ListPage<Item> {
  readonly lastSequence: number;
}

/** A group of operations: what the generated classes have in common. */
export class Resource {
  protected readonly call: Call;

  constructor(call: Call) {
    this.call = call;
  }

  /** A list whose pages are found by how many items come before them. */
  protected bySkip<Page extends CountedPage<Item>, Item>(
    path: string,
    query: { readonly skip?: number } | undefined,
    options?: RequestOptions,
  ): Pages<Page, Item> {
    return this.#pages(path, query, options, ({ items, total }: Page, at: { readonly skip?: number } | undefined) => {
      const skip = (at?.skip ?? 0) + items.length;
      return items.length > 0 && skip < total ? { skip } : undefined;
    });
  }

  /** A list whose pages each name the next one; `field` holds it. */
  protected byCursor<Page extends CursorPage, Item>(
    path: string,
    query: object | undefined,
    options?: RequestOptions,
    field = 'items',
  ): Pages<Page, Item> {
    return new Pages<Page, Item>({
      query,
      read: (at) => this.call('GET', path, { query: at }, options),
      itemsOf: (page) => (page as unknown as Readonly<Record<string, readonly Item[]>>)[field] ?? [],
      next: ({ nextCursor }) => (nextCursor ? { cursor: nextCursor } : undefined),
    });
  }

  /** A log, read on from the last number that was seen up to the last one assigned. */
  protected bySequence<Page extends SequencePage<Item>, Item extends { readonly sequence?: number }>(
    path: string,
    query: object | undefined,
    options?: RequestOptions,
  ): Pages<Page, Item> {
    return this.#pages(path, query, options, ({ items, lastSequence }: Page) => {
      const after = items.at(-1)?.sequence;
      return after !== undefined && after < lastSequence ? { after } : undefined;
    });
  }

  /** An export as CSV. */
  protected csv(path: string, query: object | undefined, options?: RequestOptions): Pages<CsvPage, string> {
    return new Pages<CsvPage, string>({
      query,
      read: (at) => this.call('GET', path, { csv: true, query: at }, options),
      itemsOf: ({ csv }) => [csv],
      next: ({ nextCursor }) => (nextCursor === undefined ? undefined : { cursor: nextCursor }),
    });
  }

  #pages<Page extends ListPage<Item>, Item>(
    path: string,
    query: object | undefined,
    options: RequestOptions | undefined,
    next: Paging<Page, Item>['next'],
  ): Pages<Page, Item> {
    const read = (at: object | undefined) => this.call<Page>('GET', path, { query: at }, options);
    return new Pages<Page, Item>({ query, read, itemsOf: ({ items }) => items, next });
  }
}

import type { QueryKey } from '@tanstack/react-query';

/** How many items a page has, unless its list says otherwise. */
export const PAGE_SIZE = 50;

/** A page of a list that pages by number, as a query. */
export interface PagedQuery<F, P> {
  /** The key of the list, whatever its filters and page. */
  readonly queryKey: QueryKey;
  /** The operation's query without the page. */
  readonly filters?: F;
  readonly read: (query: F & { readonly skip: number; readonly limit: number }, signal: AbortSignal) => PromiseLike<P>;
  readonly limit?: number;
}

/** `skip`: how many items come before the page. */
export const pagedQuery = <P, F extends object = object>(options: PagedQuery<F, P>, skip: number) => {
  const { queryKey, filters = {} as F, read, limit = PAGE_SIZE } = options;
  return {
    queryKey: [...queryKey, filters, skip],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<P> =>
      read({ ...filters, skip, limit }, signal),
  };
};

export interface CursorPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string | null | undefined;
}

/** The pages of a list that pages by cursor, as a query. */
export interface CursorQuery<T> {
  readonly queryKey: QueryKey;
  readonly read: (paging: { readonly cursor?: string }, signal: AbortSignal) => Promise<CursorPage<T>>;
}

export const cursorQuery = <T>({ queryKey, read }: CursorQuery<T>) => ({
  queryKey,
  initialPageParam: undefined as string | undefined,
  queryFn: async ({
    pageParam,
    signal,
  }: {
    readonly pageParam: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<CursorPage<T>> => read(pageParam ? { cursor: pageParam } : {}, signal),
  getNextPageParam: ({ nextCursor }: CursorPage<T>) => nextCursor ?? undefined,
});

import { Stack } from '@mantine/core';
import { hashKey, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Column, DataTable } from './data-table.tsx';
import { type CursorQuery, cursorQuery, PAGE_SIZE, type PagedQuery, pagedQuery } from './list-queries.ts';
import { LoadMore, Paging, useSkip } from './paging.tsx';
import { ProblemView } from './problem-view.tsx';
import { Loading } from './states.tsx';

interface QueryViewProps<T> {
  readonly query: {
    readonly data: T | undefined;
    readonly error: unknown;
    readonly isPending: boolean;
    readonly refetch: () => unknown;
  };
  /** Bars that stand in the place of what is being loaded. */
  readonly loadingRows?: number;
  readonly children: (data: T) => ReactNode;
}

/** The answer of a query; until then bars, and its problem if it fails. */
export const QueryView = <T,>({ query, loadingRows = 5, children }: QueryViewProps<T>) => (
  <>
    <ProblemView error={query.error} onRetry={() => void query.refetch()} />
    {query.isPending && !query.error ? <Loading rows={loadingRows} /> : null}
    {query.data === undefined ? null : children(query.data)}
  </>
);

interface ListProps<T> {
  /** A description of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (item: T) => string;
  /** Shown if the list is empty. */
  readonly empty: ReactNode;
}

interface WholeListProps<A, T> extends ListProps<T> {
  readonly query: QueryViewProps<A>['query'];
  /** The listed items of an answer. */
  readonly select: (answer: A) => readonly T[];
}

/** A list that one answer holds. */
export const WholeList = <A, T>({ query, select, empty, ...table }: WholeListProps<A, T>) => (
  <QueryView query={query}>
    {(answer) => {
      const rows = select(answer);
      return rows.length > 0 ? <DataTable {...table} rows={rows} /> : empty;
    }}
  </QueryView>
);

interface PagedListOptions<F, P> extends PagedQuery<F, P> {
  /** How often it is read again, in ms. */
  readonly refreshMs?: number;
}

/** The page of a list that the address says. It stays until its successor is there, but not where something else is listed. */
export const usePagedList = <P, F extends object = object>(options: PagedListOptions<F, P>) => {
  const skip = useSkip(options.limit ?? PAGE_SIZE);
  return useQuery<P>({
    ...pagedQuery(options, skip),
    placeholderData: (before, query) =>
      hashKey(query?.queryKey.slice(0, -2) ?? []) === hashKey(options.queryKey) ? before : undefined,
    refetchInterval: options.refreshMs ?? false,
  });
};

interface PagedListProps<T> extends ListProps<T> {
  readonly query: QueryViewProps<{ readonly items: readonly T[]; readonly total: number }>['query'];
  readonly limit?: number;
}

/** A list that pages by number: its page is the address's. */
export const PagedList = <T,>({ query, limit = PAGE_SIZE, caption, columns, keyOf, empty }: PagedListProps<T>) => (
  <QueryView query={query}>
    {({ items, total }) => (
      <Stack>
        {items.length > 0 ? <DataTable caption={caption} columns={columns} rows={items} keyOf={keyOf} /> : empty}
        <Paging limit={limit} total={total} />
      </Stack>
    )}
  </QueryView>
);

interface CursorListOptions<T> extends CursorQuery<T> {
  readonly enabled?: boolean;
  /** How often the shown items are read again, in ms. */
  readonly refreshMs?: number;
}

/** The pages of a list that pages by cursor, as far as one has asked for them. */
export const useCursorList = <T,>({ enabled = true, refreshMs, ...query }: CursorListOptions<T>) =>
  useInfiniteQuery({
    ...cursorQuery(query),
    enabled,
    refetchInterval: refreshMs ?? false,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  });

interface CursorViewProps<T> extends Pick<ListProps<T>, 'empty'> {
  readonly query: ReturnType<typeof useCursorList<T>>;
  readonly children: (items: readonly T[]) => ReactNode;
}

/** The loaded items of a list that pages by cursor, and the button that loads more. */
export const CursorView = <T,>({ query, empty, children }: CursorViewProps<T>) => (
  <QueryView query={query}>
    {(items) => (
      <Stack>
        {items.length > 0 ? children(items) : empty}
        <LoadMore query={query} />
      </Stack>
    )}
  </QueryView>
);

/** The same as a table. */
export const CursorList = <T,>({
  query,
  caption,
  columns,
  keyOf,
  empty,
}: ListProps<T> & Pick<CursorViewProps<T>, 'query'>) => (
  <CursorView query={query} empty={empty}>
    {(items) => <DataTable caption={caption} columns={columns} rows={items} keyOf={keyOf} />}
  </CursorView>
);

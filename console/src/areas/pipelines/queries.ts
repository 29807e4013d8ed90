import { api } from '../../api.ts';

/** Cards of a stage that are read first, and by each further step. */
export const STEP = 50;

/** A pipeline, what is counted of its stages, and the first cards of each: one call for all of them. */
export const boardQuery = (id: string) => ({
  queryKey: ['board', id],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.pipelines.board(id, { limit: STEP }, { signal }),
});

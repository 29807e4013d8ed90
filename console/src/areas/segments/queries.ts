import { api } from '../../api.ts';
import type { Contact } from '../../sdk.ts';
import type { CursorQuery } from '../../ui/list-queries.ts';

/** A segment. */
export const segmentQuery = (id: string) => ({
  queryKey: ['segment', id],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.segments.get(id, { signal }),
});

/** Who meets a segment now. */
export const membersQuery = (id: string): CursorQuery<Contact> => ({
  queryKey: ['segment', id, 'contacts'],
  read: async (paging, signal) => api.segments.contacts(id, { limit: 50, ...paging }, { signal }),
});

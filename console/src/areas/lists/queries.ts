import { api } from '../../api.ts';
import type { ContactPage, ContactsListQuery } from '../../sdk.ts';
import type { PagedQuery } from '../../ui/list-queries.ts';

/** A list. */
export const listQuery = (id: string) => ({
  queryKey: ['list', id],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.lists.get(id, { signal }),
});

/** The contacts of a list, by a search. */
export const membersQuery = (listId: string, q: string | undefined): PagedQuery<ContactsListQuery, ContactPage> => ({
  queryKey: ['list', listId, 'members'],
  filters: q?.trim() ? { q: q.trim() } : {},
  read: (query, signal) => api.contacts.list({ listId, ...query }, { signal }),
});

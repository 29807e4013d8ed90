import { api } from '../../api.ts';
import type { ContactPage, ContactsListQuery, ContactTimelineStep } from '../../sdk.ts';
import type { CursorQuery, PagedQuery } from '../../ui/list-queries.ts';

/** A contact. */
export const contactQuery = (id: string) => ({
  queryKey: ['contact', id],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.contacts.get(id, { signal }),
});

/** The timeline of a contact, newest first. */
export const storyQuery = (id: string): CursorQuery<ContactTimelineStep> => ({
  queryKey: ['contact', id, 'timeline'],
  read: async (paging, signal) => api.contacts.timeline(id, paging, { signal }),
});

/** The contacts of the organization, by a search and filters. */
export const contactsQuery = (filters: ContactsListQuery): PagedQuery<ContactsListQuery, ContactPage> => ({
  queryKey: ['contacts'],
  filters,
  read: (query, signal) => api.contacts.list(query, { signal }),
});

/** All lists: an organization has at most 1,000. */
export const listsQuery = () => ({
  queryKey: ['lists'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.lists.all({ signal }),
});

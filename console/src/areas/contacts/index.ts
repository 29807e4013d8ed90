import { Contact } from 'lucide-react';
import { defineArea } from '../../app/area.ts';
import { cursorQuery, pagedQuery } from '../../ui/list-queries.ts';
import { contactQuery, contactsQuery, listsQuery, storyQuery } from './queries.ts';

export const contacts = defineArea({
  path: 'contacts',
  title: { pt: 'Contatos', en: 'Contacts' },
  group: 'audience',
  icon: Contact,
  scope: 'contacts:read',
  pages: [
    {
      path: '/',
      load: () => import('./list-page.tsx'),
      ask: (cache, { search }) => {
        void cache.prefetchQuery(listsQuery());
        // The calls of a search depend on what the person may search by, which the page knows.
        if (Object.keys(search).length === 0) void cache.prefetchQuery(pagedQuery(contactsQuery({}), 0));
      },
    },
    { path: '/import', load: () => import('./import-page.tsx') },
    { path: '/import/$id', load: () => import('./import-job-page.tsx') },
    {
      path: '/$id',
      load: () => import('./contact-page.tsx'),
      ask: (cache, { params: { id = '' }, search: { tab } }) => {
        void cache.prefetchQuery(contactQuery(id));
        if (tab === undefined) void cache.prefetchInfiniteQuery(cursorQuery(storyQuery(id)));
      },
    },
  ],
});

import { ListChecks } from 'lucide-react';
import { defineArea } from '../../app/area.ts';
import { pagedQuery } from '../../ui/list-queries.ts';
import { listQuery, membersQuery } from './queries.ts';

export const lists = defineArea({
  path: 'lists',
  title: { pt: 'Listas', en: 'Lists' },
  group: 'audience',
  icon: ListChecks,
  scope: 'contacts:read',
  pages: [
    { path: '/', load: () => import('./lists-page.tsx') },
    {
      path: '/$id',
      load: () => import('./list-page.tsx'),
      ask: (cache, { params: { id = '' }, search: { q, page } }) => {
        void cache.prefetchQuery(listQuery(id));
        // Another page than the first is asked for by the list, which knows how many it shows.
        if (page === undefined) void cache.prefetchQuery(pagedQuery(membersQuery(id, q), 0));
      },
    },
  ],
});

import { Filter } from 'lucide-react';
import { defineArea } from '../../app/area.ts';
import { cursorQuery } from '../../ui/list-queries.ts';
import { membersQuery, segmentQuery } from './queries.ts';

export const segments = defineArea({
  path: 'segments',
  title: { pt: 'Segmentos', en: 'Segments' },
  group: 'audience',
  icon: Filter,
  scope: 'contacts:read',
  pages: [
    { path: '/', load: () => import('./segments-page.tsx') },
    { path: '/new', load: () => import('./builder-page.tsx') },
    {
      path: '/$id',
      load: () => import('./segment-page.tsx'),
      ask: (cache, { params: { id = '' } }) => {
        void cache.prefetchQuery(segmentQuery(id));
        void cache.prefetchInfiniteQuery(cursorQuery(membersQuery(id)));
      },
    },
    { path: '/$id/edit', load: () => import('./builder-page.tsx') },
    { path: '/$id/contacts/$contactId', load: () => import('./explanation-page.tsx') },
  ],
});

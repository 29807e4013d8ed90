import { SquareKanban } from 'lucide-react';
import { defineArea } from '../../app/area.ts';
import { boardQuery } from './queries.ts';

export const pipelines = defineArea({
  path: 'pipelines',
  title: { pt: 'Pipelines', en: 'Pipelines' },
  group: 'sales',
  icon: SquareKanban,
  scope: 'crm:read',
  pages: [
    { path: '/', load: () => import('./list-page.tsx') },
    {
      path: '/$id',
      load: () => import('./board-page.tsx'),
      ask: (cache, { params: { id = '' } }) => void cache.prefetchQuery(boardQuery(id)),
    },
    { path: '/$id/forecast', load: () => import('./forecast-page.tsx') },
    { path: '/$id/stages', load: () => import('./stages-page.tsx') },
    { path: '/$id/cards/$cardId', load: () => import('./card-page.tsx') },
  ],
});

import { Filter } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const segments = defineArea({
  path: 'segments',
  title: { pt: 'Segmentos', en: 'Segments' },
  group: 'audience',
  icon: Filter,
  scope: 'contacts:read',
  pages: [
    { path: '/', load: () => import('./segments-page.tsx') },
    { path: '/new', load: () => import('./builder-page.tsx') },
    { path: '/$id', load: () => import('./segment-page.tsx') },
    { path: '/$id/edit', load: () => import('./builder-page.tsx') },
    { path: '/$id/contacts/$contactId', load: () => import('./explanation-page.tsx') },
  ],
});

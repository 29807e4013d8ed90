import { ListChecks } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const lists = defineArea({
  path: 'lists',
  title: { pt: 'Listas', en: 'Lists' },
  group: 'audience',
  icon: ListChecks,
  scope: 'contacts:read',
  pages: [
    { path: '/', load: () => import('./lists-page.tsx') },
    { path: '/$id', load: () => import('./list-page.tsx') },
  ],
});

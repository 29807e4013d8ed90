import { LayoutTemplate } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const templates = defineArea({
  path: 'templates',
  title: { pt: 'Modelos', en: 'Templates' },
  group: 'send',
  icon: LayoutTemplate,
  scope: 'templates:read',
  pages: [
    { path: '/', load: () => import('./list-page.tsx') },
    { path: '/new', load: () => import('./new-page.tsx') },
    { path: '/$id', load: () => import('./template-page.tsx') },
    { path: '/$id/edit', load: () => import('./edit-page.tsx') },
    { path: '/email', load: () => import('./email-list-page.tsx') },
    { path: '/email/new', load: () => import('./email-new-page.tsx') },
    { path: '/email/$id', load: () => import('./email-page.tsx') },
    { path: '/email/$id/edit', load: () => import('./email-edit-page.tsx') },
  ],
});

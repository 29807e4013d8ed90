import { ServerCog } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const operator = defineArea({
  path: 'operator',
  title: { pt: 'Operação', en: 'Operations' },
  group: 'stage',
  icon: ServerCog,
  scope: 'operator:read',
  pages: [
    { path: '/', load: () => import('./operator-page.tsx') },
    { path: '/queues/$queue', load: () => import('./queue-page.tsx') },
    { path: '/organizations/$id', load: () => import('./organization-page.tsx') },
  ],
});

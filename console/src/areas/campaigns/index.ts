import { Megaphone } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const campaigns = defineArea({
  path: 'campaigns',
  title: { pt: 'Campanhas', en: 'Campaigns' },
  group: 'send',
  icon: Megaphone,
  scope: 'campaigns:read',
  pages: [
    { path: '/', load: () => import('./list-page.tsx') },
    { path: '/new', load: () => import('./new-page.tsx') },
    { path: '/$id', load: () => import('./campaign-page.tsx') },
    { path: '/$id/edit', load: () => import('./edit-page.tsx') },
  ],
});

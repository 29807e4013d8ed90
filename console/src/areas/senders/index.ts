import { IdCard } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const senders = defineArea({
  path: 'senders',
  title: { pt: 'Números e remetentes', en: 'Numbers and senders' },
  group: 'build',
  icon: IdCard,
  scope: 'senders:read',
  pages: [
    { path: '/', load: () => import('./senders-page.tsx') },
    { path: '/numbers/$id', load: () => import('./number-page.tsx') },
  ],
});

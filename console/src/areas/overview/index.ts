import { LayoutDashboard } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const overview = defineArea({
  path: '',
  title: { pt: 'Visão geral', en: 'Overview' },
  group: 'start',
  icon: LayoutDashboard,
  scope: 'wallet:read',
  pages: [{ path: '/', load: () => import('./overview-page.tsx') }],
});

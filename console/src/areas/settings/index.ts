import { Settings } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const settings = defineArea({
  path: 'settings',
  title: { pt: 'Ajustes', en: 'Settings' },
  group: 'manage',
  icon: Settings,
  pages: [{ path: '/', load: () => import('./settings-page.tsx') }],
});

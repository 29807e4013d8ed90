import { KeyRound } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const keys = defineArea({
  path: 'keys',
  title: { pt: 'Chaves', en: 'Keys' },
  group: 'build',
  icon: KeyRound,
  scope: 'keys:read',
  pages: [{ path: '/', load: () => import('./keys-page.tsx') }],
});

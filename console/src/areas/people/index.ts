import { UsersRound } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const people = defineArea({
  path: 'people',
  title: { pt: 'Pessoas', en: 'People' },
  group: 'manage',
  icon: UsersRound,
  scope: 'accounts:read',
  pages: [{ path: '/', load: () => import('./people-page.tsx') }],
});

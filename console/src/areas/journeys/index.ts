import { Workflow } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const journeys = defineArea({
  path: 'journeys',
  title: { pt: 'Jornadas', en: 'Journeys' },
  group: 'send',
  icon: Workflow,
  scope: 'campaigns:read',
  pages: [
    { path: '/', load: () => import('./list-page.tsx') },
    { path: '/$id', load: () => import('./journey-page.tsx') },
    { path: '/$id/simulate', load: () => import('./simulate-page.tsx') },
    { path: '/$id/runs', load: () => import('./runs-page.tsx') },
    { path: '/$id/runs/$runId', load: () => import('./run-page.tsx') },
  ],
});

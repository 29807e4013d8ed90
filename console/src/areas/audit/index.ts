import { ScrollText } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const audit = defineArea({
  path: 'audit',
  title: { pt: 'Auditoria', en: 'Audit log' },
  group: 'manage',
  icon: ScrollText,
  scope: 'audit:read',
  pages: [{ path: '/', load: () => import('./audit-page.tsx') }],
});

import { Building2 } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const companies = defineArea({
  path: 'companies',
  title: { pt: 'Empresas', en: 'Companies' },
  group: 'sales',
  icon: Building2,
  scope: 'crm:read',
  pages: [
    { path: '/', load: () => import('./list-page.tsx') },
    { path: '/import', load: () => import('./import-page.tsx') },
    { path: '/attributes', load: () => import('./attributes-page.tsx') },
    { path: '/$id', load: () => import('./company-page.tsx') },
  ],
});

import { Contact } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const contacts = defineArea({
  path: 'contacts',
  title: { pt: 'Contatos', en: 'Contacts' },
  group: 'audience',
  icon: Contact,
  scope: 'contacts:read',
  pages: [
    { path: '/', load: () => import('./list-page.tsx') },
    { path: '/import', load: () => import('./import-page.tsx') },
    { path: '/import/$id', load: () => import('./import-job-page.tsx') },
    { path: '/$id', load: () => import('./contact-page.tsx') },
  ],
});

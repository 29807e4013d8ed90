import { Webhook } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const webhooks = defineArea({
  path: 'webhooks',
  title: { pt: 'Webhooks', en: 'Webhooks' },
  group: 'build',
  icon: Webhook,
  scope: 'webhooks:read',
  pages: [
    { path: '/', load: () => import('./list-page.tsx') },
    { path: '/$id', load: () => import('./webhook-page.tsx') },
    { path: '/$id/deliveries/$deliveryId', load: () => import('./delivery-page.tsx') },
  ],
});

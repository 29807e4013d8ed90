import { SendHorizontal } from 'lucide-react';
import { defineArea } from '../../app/area.ts';

export const composer = defineArea({
  path: 'composer',
  title: { pt: 'Nova mensagem', en: 'New message' },
  group: 'send',
  icon: SendHorizontal,
  scope: 'messages:send',
  pages: [{ path: '/', load: () => import('./composer-page.tsx') }],
});

import { MessagesSquare } from 'lucide-react';
import { defineArea } from '../../app/area.ts';
import { messageQuery, timelineQuery } from './queries.ts';

export const messages = defineArea({
  path: 'messages',
  title: { pt: 'Mensagens', en: 'Messages' },
  group: 'send',
  icon: MessagesSquare,
  scope: 'messages:read',
  pages: [
    { path: '/', load: () => import('./list-page.tsx') },
    {
      path: '/$id',
      load: () => import('./message-page.tsx'),
      ask: (cache, { params: { id = '' } }) => {
        void cache.prefetchQuery(messageQuery(id));
        void cache.prefetchQuery(timelineQuery(id));
      },
    },
  ],
});

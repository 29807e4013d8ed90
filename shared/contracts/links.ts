import * as z from 'zod';
import { pathText } from './common.ts';
import { defineOperation } from './define-operation.ts';

export const followLink = defineOperation({
  id: 'links.follow',
  route: 'GET /r/{code}',
  tag: 'Links',
  summary: 'Follow a short link',
  description:
    'The target of the links in a message sent with `trackLinks`: counts the click, raises sms.clicked and redirects to the original URL. Sets no cookie, and stores nothing about the person.',
  permission: 'public',
  params: z.object({ code: pathText('The code of the short link.') }),
  responses: { 302: null },
  uses: { table: 'write', queues: ['events', 'send'] },
});

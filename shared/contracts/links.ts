import * as z from 'zod';
import { pathText } from './common.ts';
import { defineOperation } from './define-operation.ts';

export const followLink = defineOperation({
  id: 'links.follow',
  method: 'GET',
  path: '/r/{code}',
  tag: 'Links',
  summary: 'Follow a short link',
  description:
    'Where the links of a message sent with `trackLinks` lead: counts the click, raises sms.clicked and redirects to the address that stood in the text. Sets no cookie, and keeps nothing of who clicked.',
  permission: 'public',
  request: { params: z.object({ code: pathText('The code of the short link.') }) },
  responses: { 302: null },
  errors: ['NOT_FOUND'],
  uses: { table: 'write', queues: ['events'] },
});

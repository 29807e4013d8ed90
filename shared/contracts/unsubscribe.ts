import * as z from 'zod';
import { pathText } from './common.ts';
import { defineOperation } from './define-operation.ts';

const page = (description: string) => ({ contentType: 'text/html; charset=utf-8', description });
const common = {
  tag: 'Unsubscribe',
  permission: 'public',
} as const;
const params = z.object({ token: pathText('The token of the link in the e-mail.') });

export const showUnsubscribe = defineOperation({
  ...common,
  id: 'unsubscribe.show',
  route: 'GET /u/{token}',
  summary: 'Show the page with the unsubscribe button',
  description:
    'Changes nothing, because programs follow the links of an e-mail before people do. The page loads nothing from other hosts.',
  params,
  answer: page('The page, in Portuguese.'),
  uses: { table: 'read', rootKeys: ['unsubscribe'] },
});

export const confirmUnsubscribe = defineOperation({
  ...common,
  id: 'unsubscribe.confirm',
  route: 'POST /u/{token}',
  summary: 'Unsubscribe with one click',
  description:
    "The POST of a mailbox provider (RFC 8058), and of the page's button: `List-Unsubscribe=One-Click` as a form. From then on the address gets only transactional e-mail, and every contact with it is opted out, raising contact.opted_out. A repeat changes nothing.",
  params,
  rawBody: { contentType: 'application/x-www-form-urlencoded', description: '`List-Unsubscribe=One-Click`.' },
  answer: page('The confirmation, in Portuguese.'),
  uses: { table: 'write', queues: ['events'], rootKeys: ['unsubscribe'] },
});

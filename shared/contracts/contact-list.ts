import * as z from 'zod';
import { CONTACT_SOURCES, OPT_IN_STATUSES } from '../domain/contacts/contact.ts';
import { MAX_TAG_LENGTH } from '../domain/contacts/input.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { boundedText, count, dateTime, openObject, optionalBoundedText, paged } from './common.ts';
import { Contact } from './contacts.ts';
import { defineOperation } from './define-operation.ts';

export const listContacts = defineOperation({
  id: 'contacts.list',
  route: 'GET /contacts',
  tag: 'Contacts',
  summary: 'List contacts, newest first',
  description:
    'Filters are combined: a contact must meet all of them. `q` searches in the name, the WhatsApp name, the e-mail address and the phone (by its digits), ignoring case and accents; one or two characters match beginnings of words. It needs the scope pii:full; without it, `q` is ignored and a warning says so. A page ends early if its contacts are more than an answer can hold: the next begins at `skip` plus the number of items.',
  permission: 'contacts:read',
  query: z.strictObject({
    tag: optionalBoundedText(MAX_TAG_LENGTH, 'Only contacts with this tag.', 'vip'),
    optInStatus: z
      .enum(OPT_IN_STATUSES)
      .optional()
      .meta({ description: 'Only contacts with this consent.', example: 'granted' }),
    source: z
      .enum(CONTACT_SOURCES)
      .optional()
      .meta({ description: 'Only contacts from this source.', example: 'import' }),
    externalId: optionalBoundedText(128, "Only the contact with this id of the caller's own.", 'loja:42'),
    listId: idSchema('list').optional().meta({ description: 'Only contacts of this static list.' }),
    q: boundedText(128, 'A part of the name, the e-mail address or the phone. Needs pii:full.', 'souza')
      .regex(/\S/, 'must not be blank')
      .optional(),
    updatedSince: dateTime('Only contacts that changed at or after this time.').optional(),
    ...paged(50, 200),
  }),
  answer: openObject('ContactPage', 'A page of contacts.', {
    items: z.array(Contact).meta({ description: 'The contacts of this page, newest first.' }),
    total: count('How many contacts match, on all pages.', 1),
    warnings: z
      .array(z.string())
      .optional()
      .meta({ description: 'The parts of the request that were ignored; absent if there are none.' }),
  }),
  // Filters cache the counts from the index, and may trigger a merge of it.
  uses: { table: 'write', rootKeys: ['recipients'] },
});

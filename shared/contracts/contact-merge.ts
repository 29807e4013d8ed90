import * as z from 'zod';
import { DUPLICATE_REASONS } from '../domain/contacts/duplicates.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { closedObject, openObject } from './common.ts';
import { Contact, ContactRead, contactParams as params } from './contacts.ts';
import { defineOperation } from './define-operation.ts';

const MergeContact = closedObject('MergeContact', 'A duplicate to merge.', {
  contactId: idSchema('contact', 'The duplicate, which is removed.'),
});

export const mergeContacts = defineOperation({
  id: 'contacts.merge',
  route: 'POST /contacts/{id}/merge',
  tag: 'Contacts',
  summary: 'Merge a duplicate into a contact',
  description:
    "The contact's own values win, and missing ones come from the duplicate; tags and debts are combined, and a withdrawal of either wins. Once this is answered the duplicate's phone belongs to the contact; its messages, events, turns and devices are moved in the background, within minutes; lists by the contact have the duplicate's cards within seconds. A repeat answers the contact as it is. 422 names the fields of which both together have too many values. Raises contact.merged, and contact.opted_out if the merge opts the contact out.",
  permission: 'contacts:write',
  params,
  body: MergeContact,
  answer: ContactRead,
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['events', 'outcome'], rootKeys: ['contacts'] },
});

const Duplicate = openObject('LikelyDuplicate', 'A contact that may be the same person.', {
  contact: Contact,
  by: z.array(z.enum(DUPLICATE_REASONS)).meta({
    description: 'What both have: an e-mail address, or an id in a CRM that is the externalId.',
    example: ['email'],
  }),
});

export const listDuplicates = defineOperation({
  id: 'contacts.duplicates',
  route: 'GET /contacts/{id}/duplicates',
  tag: 'Contacts',
  summary: 'Find likely duplicates of a contact',
  description:
    "At most 20 contacts that have this one's e-mail address, or whose `externalId` is an id that this one has in a CRM. A phone belongs to one contact, so no two contacts share one. This operation merges nothing.",
  permission: 'contacts:read',
  params,
  answer: openObject('LikelyDuplicates', 'Contacts that may be the same person.', {
    items: z.array(Duplicate).meta({ description: 'The likely duplicates.' }),
  }),
  uses: { table: 'read' },
});

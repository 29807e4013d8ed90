import { idSchema } from '../domain/core/id-schema.ts';
import { closedObject } from './common.ts';
import { ContactRead, contactParams as params } from './contacts.ts';
import { defineOperation } from './define-operation.ts';

const MergeContact = closedObject('MergeContact', 'A duplicate to merge.', {
  contactId: idSchema('contact', 'The duplicate, which is gone afterwards.'),
});

export const mergeContacts = defineOperation({
  id: 'contacts.merge',
  method: 'POST',
  path: '/contacts/{id}/merge',
  tag: 'Contacts',
  summary: 'Merge a duplicate into a contact',
  description:
    "The contact's own values win, and what it lacks comes from the duplicate; tags and debts are united, and a withdrawal of either wins. The duplicate's phone leads to the contact from this answer on, and its messages, events, turns and devices follow in the background, within minutes. A repeat answers the contact as it is. 422 names what both together have too much of. Raises contact.merged, and contact.opted_out where the contact is opted out by it.",
  permission: 'contacts:write',
  request: { params, body: MergeContact },
  responses: { 200: ContactRead },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['events', 'outcome'], rootKeys: ['contacts'] },
});

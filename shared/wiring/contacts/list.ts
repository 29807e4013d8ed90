import type { ContactListPorts } from '../../domain/audience/contact-list.ts';
import { audienceIndex } from '../../storage/audience/index-reader.ts';
import { contactPages } from '../../storage/contacts/contact-pages.ts';
import { readMembers } from '../../storage/lists/stored-lists.ts';
import { gramIndex } from '../audience/grams.ts';
import { clock, table } from '../process/aws.ts';

export const contactListPorts: ContactListPorts = {
  index: audienceIndex(table, { clock }),
  ...contactPages(table),
  membersOf: (organizationId, listId) => readMembers(table, organizationId, listId),
  gramIndex,
};

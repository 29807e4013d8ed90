import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { readContact } from '../contacts/contacts.ts';

/**
 * The subjects under which a contact's rows may be archived: its id and those merged into it, and their present blind indexes. `absent`:
 * no such contact is stored, and which addresses a deleted one had is not known; `foreign`: it is another organization's. One read.
 */
export const contactSubjects = async (
  table: Table,
  organizationId: Id<'organization'>,
  contactId: Id<'contact'>,
): Promise<readonly string[] | 'absent' | 'foreign'> => {
  const row = await table.get(KEYS.contact(contactId));
  if (!row) return 'absent';
  if (row.org !== organizationId) return 'foreign';
  const contact = readContact(row);
  return [contact, ...(contact.mergedContacts ?? [])]
    .flatMap(({ id, phoneHash, emailHash }) => [id, phoneHash, emailHash])
    .filter((each) => each !== undefined);
};

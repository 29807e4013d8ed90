import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { readContact } from '../contacts/contacts.ts';

/**
 * The subjects under which a contact's rows may be archived: its id and those merged into it, and their present blind indexes. One read;
 * for a missing contact only its id.
 */
export const contactSubjects = async (
  table: Table,
  organizationId: Id<'organization'>,
  contactId: Id<'contact'>,
): Promise<string[]> => {
  const row = await table.get(KEYS.contact(contactId));
  const contact = row?.org === organizationId ? readContact(row) : undefined;
  const people = [{ ...contact, id: contactId }, ...(contact?.mergedContacts ?? [])];
  return people
    .flatMap(({ id, phoneHash, emailHash }) => [id, phoneHash, emailHash])
    .filter((each) => each !== undefined);
};

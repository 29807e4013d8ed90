import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { readContact } from '../contacts/contacts.ts';

/** By whom rows of a contact may be archived: its id and those that were merged into it, and the blind indexes that it has now. One read; a contact that is gone has its id. */
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

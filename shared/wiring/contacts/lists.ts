import type { ContactLists } from '../../domain/contacts/ports.ts';
import { removeContact } from '../../storage/lists/unlisted-contacts.ts';
import { clock, table } from '../process/aws.ts';

/** The static lists that contain contacts. */
export const contactLists: ContactLists = {
  forget: ({ organizationId, number }) => removeContact(table, clock, organizationId, { number }),
  replace: ({ organizationId, number }, { number: by }) => removeContact(table, clock, organizationId, { number, by }),
};

import type { deleteContact } from '../../domain/contacts/erase.ts';
import type { ImportPorts } from '../../domain/contacts/import.ts';
import type { ContactPorts } from '../../domain/contacts/ports.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { contactStore } from '../../storage/contacts/contact-store.ts';
import { erasureStore } from '../../storage/contacts/erasures.ts';
import { importStore } from '../../storage/contacts/import-store.ts';
import { clock, publishEvents, publishWork, table, vaults } from '../process/aws.ts';
import { contactLists } from './lists.ts';

export const contactPorts: ContactPorts = {
  clock,
  store: contactStore(table, publishEvents, publishWork),
  recipients: vaults.recipients,
  documents: vaults.contacts,
};

/** The ports of deleting a contact. */
export const deletionPorts: Parameters<typeof deleteContact>[0] = {
  clock,
  contacts: contactPorts,
  store: erasureStore(table),
  forget: contactLists.forget,
  enqueue: ({ contactId, organizationId: owner }) =>
    publishWork([{ kind: 'erase_contact', ...KEYS.erasure(contactId), owner }]),
};

/** The ports of importing contacts. */
export const importPorts: ImportPorts = {
  ...contactPorts,
  store: {
    takeNumbers: contactPorts.store.takeNumbers,
    ...importStore(
      table,
      publishEvents,
      ({ id, organizationId: owner }) =>
        publishWork([{ kind: 'index_contacts', ...KEYS.changedContact(owner, id), owner }]),
      publishWork,
    ),
  },
};

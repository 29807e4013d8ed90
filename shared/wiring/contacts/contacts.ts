import type { ContactPorts } from '../../domain/contacts/ports.ts';
import { contactStore } from '../../storage/contacts/contacts.ts';
import { clock, publishEvents, table, vaults } from '../process/aws.ts';

export const contactPorts: ContactPorts = {
  clock,
  store: contactStore(table, publishEvents),
  recipients: vaults.recipients,
  documents: vaults.contacts,
};

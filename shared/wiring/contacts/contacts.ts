import type { ContactPorts } from '../../domain/contacts/ports.ts';
import { contactStore } from '../../storage/contacts/contact-store.ts';
import { eventWorkItem } from '../../storage/due-work/outbox.ts';
import { clock, publishWork, table, vaults } from '../process/aws.ts';

export const contactPorts: ContactPorts = {
  clock,
  store: contactStore(table, (event) => publishWork([eventWorkItem(event)])),
  recipients: vaults.recipients,
  documents: vaults.contacts,
};

import type { PortionPorts } from '../../domain/campaigns/ports.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import { readMessagesById } from '../../storage/campaigns/messages.ts';
import { portionStore } from '../../storage/campaigns/portions.ts';
import { table } from '../process/aws.ts';
import { segmentPorts } from '../segments/segments.ts';
import { campaignPorts } from './campaigns.ts';

/** The contacts with some numbers, keyed by number. */
const contactsOf: PortionPorts['contactsOf'] = async (organizationId, numbers) => {
  const contacts = await segmentPorts.index.contacts(organizationId, numbers);
  return new Map(contacts.map((contact): [number, Contact] => [contact.number, contact]));
};

export const recipientPorts: Pick<PortionPorts, 'contactsOf' | 'portions' | 'readMessages' | 'store'> = {
  store: campaignPorts.store,
  portions: portionStore(table),
  contactsOf,
  readMessages: (ids) => readMessagesById(table, ids),
};

import type { CustomerEventPorts } from '../../domain/customer-events/record.ts';
import { contactOfExternalId } from '../../storage/contacts/external-ids.ts';
import { customerEventStore } from '../../storage/customer-events/customer-events.ts';
import { journeyOf, touchesOf } from '../../storage/customer-events/touches.ts';
import { holderOf } from '../../storage/messages/inbound.ts';
import { admitLookup } from '../access/lookups.ts';
import { contactPorts } from '../contacts/contacts.ts';
import { clock, publishWork, table, vaults } from '../process/aws.ts';

export const customerEventPorts: CustomerEventPorts = {
  clock,
  ...customerEventStore(table, publishWork),
  touches: (organizationId, contactId, window) => touchesOf(table, organizationId, contactId, window),
  journeyOf: (messageId) => journeyOf(table, messageId),
  contactOfExternalId: (organizationId, externalId) => contactOfExternalId(table, organizationId, externalId),
  async readContact(organizationId, id) {
    const contact = await contactPorts.store.read(id);
    return contact?.organizationId === organizationId ? contact : undefined;
  },
  async contactAt(organizationId, kind, address) {
    const hash = (await vaults.recipients()).blindIndex(organizationId, kind, address);
    const { contactId } = await holderOf(table, organizationId, {
      channel: kind === 'email' ? 'email' : 'sms',
      kind,
      hash,
    });
    return contactId;
  },
  admitLookup: (actor, filters) => admitLookup(actor, { operation: 'events.record', filters }),
};

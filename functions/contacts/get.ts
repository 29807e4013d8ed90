import { getContact as contract } from '../../shared/contracts/contacts.ts';
import { findContact } from '../../shared/domain/contacts/consent.ts';
import { contactReadView } from '../../shared/domain/contacts/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => findContact(contactPorts, actor.organizationId, params.id),
  (contact, { unmasked }) => contactReadView(contact, unmasked, contactPorts.documents),
);

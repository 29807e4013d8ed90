import { getContact as contract } from '../../shared/contracts/contacts.ts';
import { findContact } from '../../shared/domain/contacts/consent.ts';
import { contactReadView } from '../../shared/domain/contacts/views.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { contactPorts } from '../../shared/runtime/compose/contacts.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const contact = await findContact(contactPorts, actor.organizationId, params.id);
  if (isRefusal(contact)) return contact;
  return respond(200, await contactReadView(contact, actor.scopes.has('pii:full'), contactPorts.vault));
});

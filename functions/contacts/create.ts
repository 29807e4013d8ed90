import { createContact as contract } from '../../shared/contracts/contacts.ts';
import { createContact } from '../../shared/domain/contacts/create.ts';
import { contactView } from '../../shared/domain/contacts/views.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { contactPorts } from '../../shared/runtime/compose/contacts.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const contact = await createContact(contactPorts, actor, body);
  return isRefusal(contact) ? contact : respond(201, contactView(contact, actor.scopes.has('pii:full')));
});

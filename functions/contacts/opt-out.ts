import { optOutContact as contract } from '../../shared/contracts/contacts.ts';
import { optOutContact } from '../../shared/domain/contacts/consent.ts';
import { contactView } from '../../shared/domain/contacts/views.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { contactPorts } from '../../shared/runtime/compose/contacts.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body }) => {
  const contact = await optOutContact(contactPorts, actor, params.id, body);
  return isRefusal(contact) ? contact : respond(200, contactView(contact, actor.scopes.has('pii:full')));
});

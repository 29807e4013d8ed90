import { changeContact as contract } from '../../shared/contracts/contact-changes.ts';
import { changeContact } from '../../shared/domain/contacts/change.ts';
import { tellsOfPhone } from '../../shared/domain/contacts/create.ts';
import { contactView } from '../../shared/domain/contacts/views.ts';
import { asLookup } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) =>
    changeContact(contactPorts, actor, params.id, body).then(asLookup(contract, actor, ['phone'], tellsOfPhone)),
  (contact, { unmasked }) => contactView(contact, unmasked),
);

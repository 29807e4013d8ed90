import { changeContact as contract } from '../../shared/contracts/contact-changes.ts';
import { changeContact } from '../../shared/domain/contacts/change.ts';
import { revealsPhone } from '../../shared/domain/contacts/create.ts';
import { contactView } from '../../shared/domain/contacts/views.ts';
import { withLookup } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) =>
    withLookup(
      contract,
      actor,
      body.phone === undefined ? [] : ['phone'],
      revealsPhone,
    )(() => changeContact(contactPorts, actor, params.id, body)),
  (contact, { unmasked }) => contactView(contact, unmasked),
);

import { createContact as contract } from '../../shared/contracts/contacts.ts';
import { createContact, revealsPhone } from '../../shared/domain/contacts/create.ts';
import { contactView } from '../../shared/domain/contacts/views.ts';
import { withLookup } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';

export const handler = operation(
  contract,
  ({ actor, body }) =>
    withLookup(contract, actor, ['phone'], revealsPhone)(() => createContact(contactPorts, actor, body)),
  (contact, { unmasked }) => contactView(contact, unmasked),
);

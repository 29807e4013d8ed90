import { createContact as contract } from '../../shared/contracts/contacts.ts';
import { createContact } from '../../shared/domain/contacts/create.ts';
import { contactView } from '../../shared/domain/contacts/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => createContact(contactPorts, actor, body),
  (contact, { unmasked }) => contactView(contact, unmasked),
);

import { optInContact as contract } from '../../shared/contracts/contacts.ts';
import { optInContact } from '../../shared/domain/contacts/consent.ts';
import { contactView } from '../../shared/domain/contacts/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => optInContact(contactPorts, actor, params.id, body),
  (contact, { unmasked }) => contactView(contact, unmasked),
);

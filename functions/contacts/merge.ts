import { mergeContacts as contract } from '../../shared/contracts/contact-merge.ts';
import { mergeContacts } from '../../shared/domain/contacts/merge.ts';
import { contactReadView } from '../../shared/domain/contacts/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';
import { mergePorts } from '../../shared/wiring/contacts/merge.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => mergeContacts(mergePorts, actor, params.id, body.contactId),
  (contact, { unmasked }) => contactReadView(contact, unmasked, contactPorts.documents),
);

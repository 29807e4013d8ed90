import { listDuplicates as contract } from '../../shared/contracts/contact-merge.ts';
import { findContact } from '../../shared/domain/contacts/consent.ts';
import { likelyDuplicates } from '../../shared/domain/contacts/duplicates.ts';
import { contactView } from '../../shared/domain/contacts/views.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { duplicatePorts } from '../../shared/storage/contacts/duplicates.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  async ({ actor, params }) => {
    const contact = await findContact(contactPorts, actor.organizationId, params.id);
    return isRefusal(contact) ? contact : likelyDuplicates(duplicatePorts(table), contact);
  },
  (found, { unmasked }) => ({
    items: found.map(({ contact, by }) => ({ contact: contactView(contact, unmasked), by: [...by] })),
  }),
);

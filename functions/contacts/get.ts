import { getContact as contract } from '../../shared/contracts/contacts.ts';
import { findMerged } from '../../shared/domain/contacts/merge.ts';
import { contactReadView } from '../../shared/domain/contacts/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';
import { mergePorts } from '../../shared/wiring/contacts/merge.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => findMerged(mergePorts, actor.organizationId, params.id),
  (contact, { unmasked }) => contactReadView(contact, unmasked, contactPorts.documents),
);

import { listConsents as contract } from '../../shared/contracts/contact-export.ts';
import { findContact } from '../../shared/domain/contacts/consent.ts';
import { consentView } from '../../shared/domain/contacts/consent-history.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { consentPage } from '../../shared/storage/contacts/consent-history.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  async ({ actor, params, query }) => {
    const contact = await findContact(contactPorts, actor.organizationId, params.id);
    if (isRefusal(contact)) return contact;
    return consentPage(table, contact.id, await cursorRequest(contract, actor, { ...query, contactId: contact.id }));
  },
  itemsAs(consentView),
);

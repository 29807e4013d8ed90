import { getContactTimeline as contract } from '../../shared/contracts/contact-timeline.ts';
import { contactStep } from '../../shared/domain/api/contact-timeline.ts';
import { findContact } from '../../shared/domain/contacts/consent.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { contactTimelinePage } from '../../shared/storage/messages/contact-timeline.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  async ({ actor, params, query }) => {
    const contact = await findContact(contactPorts, actor.organizationId, params.id);
    if (isRefusal(contact)) return contact;
    const request = await cursorRequest(contract, actor, { ...query, contactId: contact.id });
    return contactTimelinePage(table, contact.id, request);
  },
  itemsAs(contactStep),
);

import { exportContact as contract } from '../../shared/contracts/contact-export.ts';
import { activityView } from '../../shared/domain/activities/views.ts';
import type { ContactItem } from '../../shared/domain/api/contact-timeline.ts';
import { cardView } from '../../shared/domain/cards/views.ts';
import { deviceView } from '../../shared/domain/channels/push/device.ts';
import { findContact } from '../../shared/domain/contacts/consent.ts';
import { consentView } from '../../shared/domain/contacts/consent-history.ts';
import { sentView } from '../../shared/domain/contacts/frequency.ts';
import { contactReadView } from '../../shared/domain/contacts/views.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { customerEventView } from '../../shared/domain/customer-events/customer-event.ts';
import { keptSegmentView } from '../../shared/domain/segments/views.ts';
import { turnView } from '../../shared/domain/tracking/ai-turn.ts';
import { storedView } from '../../shared/domain/tracking/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { contactExportPage } from '../../shared/storage/messages/contact-timeline.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';
import { beginExport } from '../../shared/wiring/contacts/export.ts';
import { table } from '../../shared/wiring/process/aws.ts';

const exported = (item: ContactItem) => {
  if ('turn' in item) return { turn: turnView(item.turn) };
  return 'event' in item
    ? { event: customerEventView(item.event, false) }
    : { message: storedView(item.message, true) };
};

export const handler = operation(
  contract,
  async ({ actor, params, query }) => {
    const contact = await findContact(contactPorts, actor.organizationId, params.id);
    if (isRefusal(contact)) return contact;
    const request = await cursorRequest(contract, actor, { ...query, contactId: contact.id });
    const page = await contactExportPage(table, contact, request);
    if (isRefusal(page)) return page;
    return { contact, page, first: query.cursor === undefined ? await beginExport(actor, contact) : undefined };
  },
  async ({ contact, page: { items, ...next }, first }) => ({
    contact: await contactReadView(contact, true, contactPorts.documents),
    ...(first && {
      consents: first.consents.map(consentView),
      devices: first.devices.map((device) => deviceView(device, true)),
      lists: first.lists.map(({ id, name }) => ({ id, name })),
      cards: first.cards.map(cardView),
      activities: first.activities.map(activityView),
      segments: first.segments.map(keptSegmentView),
      sent: sentView(first.sent),
    }),
    items: items.map(exported),
    ...next,
  }),
);

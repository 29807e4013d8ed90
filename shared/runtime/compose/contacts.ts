import type { ContactPorts } from '../../domain/contacts/ports.ts';
import { contactStore } from '../../storage/contacts.ts';
import { eventHint } from '../../storage/outbox.ts';
import { clock, publishDue, table, vault } from './platform.ts';

/** What the rules of contacts need, over this stage's table, queues and vault. */
export const contactPorts: ContactPorts = {
  clock,
  store: contactStore(table, (eventId) => publishDue([eventHint(eventId)])),
  vault,
};

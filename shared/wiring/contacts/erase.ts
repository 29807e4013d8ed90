import { cancel } from '../../domain/api/cancel-and-force.ts';
import { type ErasurePorts, eraseContact } from '../../domain/contacts/erase.ts';
import { moveMerged } from '../../domain/contacts/merge.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { clearActivityContact } from '../../storage/activities/sweeps.ts';
import { replaceMainContact } from '../../storage/companies/clear-links.ts';
import {
  eraseConsents,
  eraseCreation,
  eraseDevices,
  eraseMemberships,
  eraseTurns,
} from '../../storage/contacts/erase-belongings.ts';
import { eraseSentCounts } from '../../storage/contacts/sent-counts.ts';
import { eraseCustomerEvents } from '../../storage/customer-events/erase-customer-events.ts';
import { eraseRuns } from '../../storage/journeys/erase-runs.ts';
import { type CancelQueued, eraseMessages } from '../../storage/messages/erase-messages.ts';
import { readStored } from '../../storage/messages/message-lists.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { relinkContact } from '../pipelines/cards.ts';
import { clock, table } from '../process/aws.ts';
import { sendPorts } from '../sending/ports.ts';
import { deletionPorts } from './contacts.ts';
import { mainContactPorts, movingPorts } from './merge.ts';

/** A message that was sent meanwhile is found settled by the next pass. */
const cancelQueued: CancelQueued = async (organizationId, id) => {
  const readMessage = (of: typeof organizationId, messageId: typeof id) => readStored(table, of, messageId);
  await cancel({ clock, messageStore: sendPorts.messageStore, readMessage }, { organizationId }, id);
};

const ports: ErasurePorts = {
  ...deletionPorts,
  sweeps: [
    eraseMessages(table, cancelQueued),
    eraseTurns(table),
    eraseDevices(table),
    eraseConsents(table),
    eraseCreation(table),
    eraseMemberships(table),
    eraseSentCounts(table),
    eraseCustomerEvents(table),
    ({ organizationId, contactId }) =>
      replaceMainContact(table, mainContactPorts, organizationId, contactId, undefined),
    ({ contactId }) => relinkContact(contactId, undefined),
    clearActivityContact(table),
    eraseRuns(table, async (id) => (await import('../runs/engine.ts')).cancelRunOf(id, 'contato_apagado')),
  ],
};

/** Continues the clean-up after a deleted or merged contact: its data is erased, or moved to the surviving contact. */
export const processErasure = (item: WorkItem): Promise<void> => {
  const id = PARSE_KEY.contact(item);
  return item.sk === KEYS.merge(id).sk ? moveMerged(movingPorts, id) : eraseContact(ports, id);
};

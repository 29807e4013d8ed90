import type { MergePorts } from '../../domain/contacts/merge.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { replaceMainContact } from '../../storage/companies/clear-links.ts';
import { mergeStore } from '../../storage/contacts/merges.ts';
import { moveConsents, moveEntries } from '../../storage/contacts/move-traces.ts';
import { moveRuns } from '../../storage/journeys/move-runs.ts';
import { relinkContact } from '../pipelines/cards.ts';
import { clock, publishEvents, publishWork, table } from '../process/aws.ts';
import { contactPorts } from './contacts.ts';
import { contactLists } from './lists.ts';

/** Ports for updating companies' main contacts. */
export const mainContactPorts = { clock, raised: publishEvents };

/** The ports of merging contacts. */
export const mergePorts: Omit<MergePorts, 'sweeps'> = {
  clock,
  contacts: contactPorts,
  store: mergeStore(table, publishEvents),
  lists: contactLists,
  enqueue: ({ contactId, organizationId: owner }) =>
    publishWork([{ kind: 'erase_contact', ...KEYS.merge(contactId), owner }]),
};

/** Ports for the background work of a merge. */
export const movingPorts: MergePorts = {
  ...mergePorts,
  sweeps: [
    moveEntries(table),
    moveConsents(table),
    (from, { id, organizationId }) => replaceMainContact(table, mainContactPorts, organizationId, from, id),
    (id, heir) => relinkContact(id, heir.id),
    moveRuns(table, async (id) => (await import('../runs/engine.ts')).cancelRunOf(id, 'contato_unido')),
  ],
};

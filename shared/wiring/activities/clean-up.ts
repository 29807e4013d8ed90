import { type ClearLinksPorts, clearLinks } from '../../domain/core/clear-links.ts';
import { isId } from '../../domain/core/ids.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { clearActivityCompany, deleteCardActivities, deleteCardRows } from '../../storage/activities/sweeps.ts';
import { unlinkContacts } from '../../storage/companies/clear-links.ts';
import { expireTombstone, readTombstone, rescheduleTombstone } from '../../storage/crm/tombstones.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { unlinkCompany } from '../pipelines/cards.ts';
import { clock, publishWork, table } from '../process/aws.ts';
import { cardFilePorts } from './card-files.ts';

/** The sweeps that clear links to a deleted object of each kind, and delete rows that belonged to it alone. */
const SWEEPS: Readonly<Record<'card' | 'company', ClearLinksPorts['sweeps']>> = {
  card: [deleteCardActivities(table), deleteCardRows(table, () => cardFilePorts.bucket)],
  company: [unlinkContacts(table, clock), unlinkCompany, clearActivityCompany(table)],
};

const ports: Omit<ClearLinksPorts, 'sweeps'> = {
  clock,
  read: (organizationId, id) => readTombstone(table, organizationId, id),
  reschedule: (gone, at, isCleared) => rescheduleTombstone(table, gone, at, isCleared),
  expire: (gone, now) => expireTombstone(table, gone, now),
  enqueue: ({ organizationId, id }) =>
    publishWork([{ kind: 'clean_up', ...KEYS.tombstone(organizationId, id), owner: organizationId }]),
};

/** Continues to clear links to a deleted company or card. */
export const processTombstone = (item: WorkItem): Promise<void> => {
  const { organizationId, id } = PARSE_KEY.tombstone(item);
  return clearLinks({ ...ports, sweeps: SWEEPS[isId('card', id) ? 'card' : 'company'] }, organizationId, id);
};

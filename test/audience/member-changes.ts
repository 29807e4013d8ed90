import { createHash } from 'node:crypto';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { Transition } from '../../shared/domain/segments/membership.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { letTimePass } from '../../shared/storage/audience/members.ts';
import { keepMemberships, raiseTransitions } from '../../shared/storage/audience/memberships.ts';
import { type MergePorts, mergeChanges } from '../../shared/storage/audience/merge.ts';
import { sweepSegment } from '../../shared/storage/audience/sweep-segment.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { changedWrite, readChanged } from '../../shared/storage/contacts/changed-contacts.ts';
import { numberedWrite } from '../../shared/storage/contacts/contact-numbers.ts';
import { contactRow } from '../../shared/storage/contacts/contacts.ts';
import { changesDue } from '../../shared/storage/contacts/standing.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { isSegmentSweep, PARSE_KEY } from '../../shared/storage/parse-key.ts';

type Org = Id<'organization'>;

/** Stands for the blind index of a trigram. */
const indexOf = (_: string, gram: string) => createHash('sha256').update(gram).digest().readUInt32BE(0);

/** The ports of a process that works on members; `take` receives each move, in addition to the service's own processing. */
export const memberPorts = (
  table: Table,
  clock: () => number,
  take: (transitions: readonly Transition[]) => void = () => {},
): MergePorts => ({
  table,
  indexOf,
  clock,
  takers: [keepMemberships(table), raiseTransitions(table, () => {}), async (transitions) => take(transitions)],
});

/** Stores a contact as the service does, with its mark. */
export const writeContact = async (table: Table, contact: Contact, isNew: boolean): Promise<void> => {
  const mark = changedWrite(contact, await changesDue(table, contact.organizationId));
  const writes = [{ put: contactRow(contact) }, mark, ...(isNew ? [numberedWrite(contact)] : [])];
  if (!(await table.transact(writes)).ok) throw new Error('the contact was not stored');
};

/** Works on the sweeps and blocks of an organization that are due once; answers whether there were any. */
export const workOnBlocks = async (
  ports: MergePorts,
  organizationId: Org,
  now: number,
  reads = ports.table,
): Promise<boolean> => {
  let worked = false;
  for (const { pk, sk } of await overdue(reads, 'segment_members', now, 1_000)) {
    if (!pk.includes(organizationId)) continue;
    worked = true;
    if (isSegmentSweep({ sk })) await sweepSegment(ports, organizationId, PARSE_KEY.segmentSweep({ pk, sk }).segmentId);
    else await letTimePass(ports, organizationId, PARSE_KEY.audienceMembers({ pk, sk }).block);
  }
  return worked;
};

/**
 * Processes the due marks of an organization once, as the queue's consumer does; returns whether there were any. `reads`: the reader that
 * finds them.
 */
export const workOnMarks = async (ports: MergePorts, organizationId: Org, reads = ports.table): Promise<boolean> => {
  let worked = false;
  for (const { contactId, duePk } of await readChanged(reads, organizationId)) {
    const mark = await reads.get(KEYS.changedContact(organizationId, contactId), { only: ['duePk'] });
    if (duePk === undefined || !mark?.duePk) continue;
    worked = true;
    await mergeChanges(ports, organizationId, { atLeast: 16, contactId });
  }
  return worked;
};

import type { NumberSet } from '../audience/number-set.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Tenant } from '../core/actor.ts';
import { type Id, isId } from '../core/ids.ts';
import type { SegmentPorts } from '../segments/segment.ts';
import { segmentMembership } from '../segments/segments.ts';

/** Whether a contact is currently in a set of contacts. */
export type Membership = (contact: Contact) => boolean;

/** Ports for sets of contacts. */
export interface MembershipPorts {
  readonly segments: Pick<SegmentPorts, 'clock' | 'store'>;
  /** The numbers of a list's contacts; undefined when the organization has no such list. */
  readonly membersOf: (organizationId: Id<'organization'>, listId: Id<'list'>) => Promise<NumberSet | undefined>;
}

const listMembership = async (
  { membersOf }: MembershipPorts,
  { organizationId }: Tenant,
  id: Id<'list'>,
): Promise<Membership | undefined> => {
  const members = await membersOf(organizationId, id);
  return members && (({ number }) => members.has(number));
};

/**
 * The reachable contacts of a saved segment (`seg_…`) or a static list (`lst_…`), without those who opted out. Undefined if the
 * organization has none with this id.
 */
export const membershipOf = async (
  ports: MembershipPorts,
  tenant: Tenant,
  id: string,
): Promise<Membership | undefined> => {
  const holds = isId('list', id)
    ? await listMembership(ports, tenant, id)
    : await segmentMembership(ports.segments, tenant, id);
  return holds && ((contact) => contact.optIn.status !== 'denied' && holds(contact));
};

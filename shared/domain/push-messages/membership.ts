import type { NumberSet } from '../audience/number-set.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Tenant } from '../core/actor.ts';
import { type Id, isId } from '../core/ids.ts';
import type { SegmentPorts } from '../segments/segment.ts';
import { segmentMembership } from '../segments/segments.ts';

/** Whether a contact, as it is now, is in a set of contacts. */
export type Membership = (contact: Contact) => boolean;

/** Ports of sets of contacts. */
export interface MembershipPorts {
  readonly segments: Pick<SegmentPorts, 'clock' | 'store'>;
  /** The numbers of a list's contacts; undefined when the organization has no such list. */
  readonly membersOf: (organizationId: Id<'organization'>, listId: Id<'list'>) => Promise<NumberSet | undefined>;
}

/** Who is in a saved segment (`seg_…`) or a static list (`lst_…`) now; undefined when the organization has none with this id. */
export const membershipOf = async (
  ports: MembershipPorts,
  tenant: Tenant,
  id: string,
): Promise<Membership | undefined> => {
  if (!isId('list', id)) return segmentMembership(ports.segments, tenant, id);
  const members = await ports.membersOf(tenant.organizationId, id);
  return members && (({ number }) => members.has(number));
};

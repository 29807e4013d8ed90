import type { Tenant } from '../../domain/core/actor.ts';
import { type Membership, type MembershipPorts, membershipOf } from '../../domain/push-messages/membership.ts';
import { readMembers } from '../../storage/lists/stored-lists.ts';
import { segmentStore } from '../../storage/segments/segments.ts';
import { clock, table } from '../process/aws.ts';

const ports: MembershipPorts = {
  segments: { clock, store: segmentStore(table) },
  membersOf: (organizationId, listId) => readMembers(table, organizationId, listId),
};

/** The present members of a saved segment or a list. Loaded by the first push to one, to keep it out of other pushes' cold starts. */
export const membership = (tenant: Tenant, id: string): Promise<Membership | undefined> =>
  membershipOf(ports, tenant, id);

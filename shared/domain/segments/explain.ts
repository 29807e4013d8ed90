import { digestOf } from '../audience/digest.ts';
import { leavesOf, matches } from '../audience/filters.ts';
import { findContact } from '../contacts/consent.ts';
import type { Contact } from '../contacts/contact.ts';
import type { ContactStore } from '../contacts/ports.ts';
import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { MembershipStatus, ReadMembershipStatus } from './membership.ts';
import type { Description, Segment, SegmentPorts, WireFilter, WireTree } from './segment.ts';
import { findSegment, treeOfSegment } from './segments.ts';

/** Whether a contact is in a segment, and the result of each condition, from left to right. */
export interface Explanation {
  readonly segmentId: Id<'segment'>;
  readonly contactId: Id<'contact'>;
  readonly isMember: boolean;
  readonly conditions: readonly { readonly filter: WireFilter; readonly isMet: boolean }[];
  /** When it entered or left, in ms; undefined if not known yet. */
  readonly since?: number | undefined;
  /** ms. */
  readonly evaluatedAt: number;
}

/** The conditions of a segment as the caller wrote them, in the order of its tree. */
const wireLeaves = ({ filters, filterTree }: Description): readonly WireFilter[] => {
  const leaves = ({ filter, nodes = [] }: WireTree): WireFilter[] => (filter ? [filter] : nodes.flatMap(leaves));
  return filterTree ? leaves(filterTree) : filters;
};

const explain = (
  segment: Segment,
  contact: Contact,
  status: MembershipStatus | undefined,
  now: number,
): Explanation => {
  const tree = treeOfSegment(segment);
  const digest = digestOf(contact);
  const isMember = matches(tree, digest, now);
  const met = leavesOf(tree).map((filter) => matches({ kind: 'leaf', filter }, digest, now));
  return {
    segmentId: segment.id,
    contactId: contact.id,
    isMember,
    since: status?.isMember === isMember ? status.since : undefined,
    conditions: wireLeaves(segment).map((filter, at) => ({ filter, isMet: met[at] === true })),
    evaluatedAt: now,
  };
};

/** Why a contact is in a segment, or not, and since when. 404 if either is missing. */
export const explainContact = async (
  ports: SegmentPorts & { readonly contacts: ContactStore; readonly membershipStatus: ReadMembershipStatus },
  actor: Tenant,
  { segmentId, contactId }: { readonly segmentId: Id<'segment'>; readonly contactId: Id<'contact'> },
): Promise<Explanation | Refusal<'NOT_FOUND'>> => {
  const segment = await findSegment(ports, actor, segmentId);
  if (isRefusal(segment)) return segment;
  const contact = await findContact({ store: ports.contacts }, actor.organizationId, contactId);
  if (isRefusal(contact)) return contact;
  return explain(segment, contact, await ports.membershipStatus(contact, segmentId), ports.clock());
};

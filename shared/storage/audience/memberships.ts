import * as z from 'zod';
import { placeOf } from '../../domain/audience/block.ts';
import { digestOf } from '../../domain/audience/digest.ts';
import { matches } from '../../domain/audience/filters.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import { derivedId, type Id, parseId } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type {
  BlockMembership,
  MembershipStatus,
  ReadMembershipStatus,
  Transition,
  TransitionTaker,
} from '../../domain/segments/membership.ts';
import type { Segment } from '../../domain/segments/segment.ts';
import { treeOfSegment } from '../../domain/segments/segments.ts';
import type { KeptSegment } from '../../domain/segments/views.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { membershipRange } from '../contacts/membership-range.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { readSegments } from '../segments/segments.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { readMembers } from './member-rows.ts';

const WRITES_IN_FLIGHT = 32;

/** The latest transition of a contact into or out of a segment. */
export interface Membership extends Pick<Transition, 'at' | 'contactId' | 'organizationId' | 'segmentId' | 'version'> {
  readonly isMember: boolean;
}
export const membershipRows = defineRow<Membership>()({
  attributes: {
    organizationId: id('organization'),
    segmentId: id('segment'),
    contactId: id('contact'),
    isMember: z.boolean(),
    at: time,
    version: z.int(),
  },
  key: ({ contactId, segmentId }) => KEYS.membership(contactId, segmentId),
});

/** Stores since when contacts are in a segment, or out of it; a later transition is kept. One write each. */
export const keepMemberships =
  (table: Table): TransitionTaker =>
  async (transitions) => {
    await mapConcurrently(
      transitions,
      WRITES_IN_FLIGHT,
      ({ kind, organizationId, segmentId, contactId, at, version }) =>
        table.write({
          put: membershipRows.write({
            organizationId,
            segmentId,
            contactId,
            isMember: kind === 'entered',
            at,
            version,
          }),
          when: { text: 'attribute_not_exists(#pk) OR #version < :version', values: { version } },
        }),
    );
  };

/** The event of a transition, with an id derived from it, so that a repeat raises no second one. */
const eventOf = ({ kind, organizationId, env, segmentId, contactId, at, version }: Transition): DomainEvent => ({
  id: derivedId('event', [segmentId, contactId, String(version)]),
  type: `segment.${kind}`,
  organizationId,
  env,
  createdAt: at,
  data: { segmentId, contactId, at: isoTime(at) },
});

/**
 * Raises `segment.entered` and `segment.left` if there are subscriptions, each once. `raised` receives the stored events for early
 * publication; best effort.
 */
export const raiseTransitions =
  (table: Table, raised: (events: readonly DomainEvent[]) => void): TransitionTaker =>
  async (transitions) => {
    const [first] = transitions;
    if (!first) return;
    const events = transitions.map(eventOf);
    const samples = [...new Map(events.map((event) => [event.type, event])).values()];
    const types = new Set((await takenEvents(table, first.organizationId, samples)).map(({ type }) => type));
    const subscribed = events.filter(({ type }) => types.has(type));
    const stored = await mapConcurrently(subscribed, WRITES_IN_FLIGHT, async (event) => {
      const { ok } = await table.write({ ...eventWrite(event), when: ABSENT });
      return ok ? [event] : [];
    });
    raised(stored.flat());
  };

/** The latest transition of a contact; undefined if there was none. One read. */
export const readMembership = async (
  table: Table,
  contactId: Id<'contact'>,
  segmentId: Id<'segment'>,
): Promise<Membership | undefined> => {
  const row = await table.get(KEYS.membership(contactId, segmentId));
  return row && membershipRows.read(row);
};

type Placed = Pick<Contact, 'createdAt' | 'id' | 'number' | 'organizationId'>;

/** Whether a contact is in a segment according to its block, and since when; undefined if not evaluated yet. */
const statusIn = (
  members: BlockMembership | undefined,
  latest: Membership | undefined,
  { number, createdAt }: Placed,
  segmentId: Id<'segment'>,
): MembershipStatus | undefined => {
  const { offset } = placeOf(number);
  const held = members?.segments[segmentId];
  if (!held) return undefined;
  const isMember = held.members.has(offset);
  const pending = members.pendingTransitions.findLast(
    (each) => each.segmentId === segmentId && (each.entered.has(offset) || each.left.has(offset)),
  );
  if (pending) return { isMember, since: pending.at };
  // A contact without transitions has the state of the baseline.
  if (!latest) return { isMember, since: Math.max(held.baselineAt, createdAt) };
  return { isMember, since: latest.isMember === isMember ? latest.at : undefined };
};

/** Whether contacts are in a segment according to their blocks, and since when. Two reads in parallel. */
export const membershipStatusReader =
  (table: Table): ReadMembershipStatus =>
  async (contact, segmentId) => {
    const [[members], latest] = await Promise.all([
      readMembers(table, contact.organizationId, [placeOf(contact.number).block]),
      readMembership(table, contact.id, segmentId),
    ]);
    return statusIn(members, latest, contact, segmentId);
  };

/** A contact's segment as of now: a change that is still being processed has no time yet. */
const keptSegment = (
  { id: segmentId, name }: Pick<Segment, 'id' | 'name'>,
  { isMember, since }: MembershipStatus,
  isMatching: boolean,
): KeptSegment => ({
  id: segmentId,
  name,
  isMember: isMatching,
  since: isMember === isMatching ? since : undefined,
});

/**
 * The segments that a contact is in at `now` (ms), and those that it left according to its rows: including deleted ones, until the contact
 * is erased. Two queries and a read, in parallel.
 */
export const segmentsOfContact = async (
  table: Table,
  contact: Contact,
  now: number,
): Promise<readonly KeptSegment[]> => {
  const { organizationId, number } = contact;
  const { block, offset } = placeOf(number);
  const [[members], rows, all] = await Promise.all([
    readMembers(table, organizationId, [block]),
    table.queryAll({ ...membershipRange(contact.id), consistent: true }),
    readSegments(table, organizationId),
  ]);
  const latest = new Map(rows.map(membershipRows.read).map((membership) => [membership.segmentId, membership]));
  const segments = new Map(all.map((segment) => [segment.id, segment]));
  const digest = digestOf(contact);
  const matching = all.filter((segment) => matches(treeOfSegment(segment), digest, now)).map(({ id }) => id);
  const holding = Object.entries(members?.segments ?? {}).flatMap(([segmentId, held]) =>
    held.members.has(offset) ? [parseId('segment', segmentId)] : [],
  );
  return [...new Set([...matching, ...holding, ...latest.keys()])].sort().map((segmentId) => {
    const membership = latest.get(segmentId);
    const status = statusIn(members, membership, contact, segmentId) ?? {
      isMember: membership?.isMember ?? false,
      since: membership?.at,
    };
    const segment = segments.get(segmentId);
    return segment ? keptSegment(segment, status, matching.includes(segmentId)) : { id: segmentId, ...status };
  });
};

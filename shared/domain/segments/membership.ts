import { BLOCK_SIZE, BlockSet } from '../audience/block.ts';
import { type ContactDigest, digestOf } from '../audience/digest.ts';
import { type BlockColumns, evaluate, interactionsIn, presentIn } from '../audience/evaluate.ts';
import { earliest, type FilterTree, matches, nextChange, windowsOf } from '../audience/filters.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';

/*
 * Who is in which segment, kept block by block, so that entering and leaving is noticed. Plain functions of a block's row: what reads and writes it is
 * in shared/storage/audience/members.ts.
 */

/** A segment whose members are kept. */
export interface StandingSegment extends Pick<Tenant, 'env'> {
  readonly id: Id<'segment'>;
  readonly tree: FilterTree;
  /** The last block that there was when its first members were looked for: who is found there begins as a member. Undefined until then. */
  readonly baselineTo?: number | undefined;
}
/** The members of a segment in a block; times in ms. */
export interface SegmentMembers {
  /** When they were first looked for. */
  readonly baselineAt: number;
  readonly members: BlockSet;
}
/** Contacts of a block that entered or left a segment at one time. */
export interface Moves {
  readonly segmentId: Id<'segment'>;
  /** ms. */
  readonly at: number;
  /** Of the block's membership that has them first: with segment and contact it names one move. */
  readonly version: number;
  readonly entered: BlockSet;
  readonly left: BlockSet;
}
/** Who of a block is in which segment. */
export interface BlockMembership extends Tenant {
  readonly block: number;
  /** Counts its writes; 0: not written yet. */
  readonly version: number;
  /** The latest time that contacts were judged by, in ms: no look goes behind it, whatever its clock says. */
  readonly at: number;
  /** By the segment's id. */
  readonly segments: Readonly<Record<string, SegmentMembers>>;
  /** Moves that their takers may not have yet, in their order. */
  readonly pending: readonly Moves[];
  /** No contact of the block enters or leaves by the passing of time before this, in ms; undefined: never. */
  readonly nextChangeAt?: number | undefined;
}

/** Enters or leaves a segment. Named by segment, contact and version. */
export interface Transition extends Tenant {
  readonly kind: 'entered' | 'left';
  readonly segmentId: Id<'segment'>;
  readonly contactId: Id<'contact'>;
  /** ms. */
  readonly at: number;
  /** Grows with every move of the contact. */
  readonly version: number;
}
/**
 * Takes what entered and left: each at least once, a contact's in their order. A repeat may also come after a later one was taken: by segment, contact and
 * version a taker knows what it has. Rejects where it has not taken all; all come again then.
 */
export type TransitionTaker = (transitions: readonly Transition[]) => Promise<void>;

/** Whether a contact is in a segment by its block's membership, and since when (ms; undefined where a later move is just being written down). */
export interface Standing {
  readonly isMember: boolean;
  readonly since?: number | undefined;
}
/** Undefined: the segment's first members are still to be looked for. */
export type ReadStanding = (contact: Contact, segmentId: Id<'segment'>) => Promise<Standing | undefined>;

/** What a look at a block found out about a segment. */
export interface Judgement {
  readonly segment: StandingSegment;
  /** Whether all contacts of the block were looked at. */
  readonly isWhole: boolean;
  /** Who was looked at, who of them there is, and who is in the segment. */
  readonly judged: BlockSet;
  readonly present: BlockSet;
  readonly members: BlockSet;
}
/** Contacts that were read, by their offsets; undefined: there is none any more. */
export type ReadContacts = ReadonlyMap<number, Contact | undefined>;

const ALL = BlockSet.of(Array.from({ length: BLOCK_SIZE }, (_, at) => at));
const NOBODY: SegmentMembers['members'] = new BlockSet();

const offsetsWhere = (contacts: ReadContacts, holds: (contact: ContactDigest) => boolean): BlockSet =>
  BlockSet.of([...contacts].flatMap(([at, contact]) => (contact && holds(digestOf(contact)) ? [at] : [])));

/** Judges some contacts of a block by themselves, at `now` (ms). */
export const judgeContacts = (
  segments: readonly StandingSegment[],
  contacts: ReadContacts,
  now: number,
): readonly Judgement[] => {
  const judged = BlockSet.of(contacts.keys());
  const present = offsetsWhere(contacts, () => true);
  return segments.map((segment) => ({
    segment,
    isWhole: false,
    judged,
    present,
    members: offsetsWhere(contacts, (contact) => matches(segment.tree, contact, now)),
  }));
};

/** Judges all contacts of a block by its columns, but those that were read by themselves, at `now` (ms). */
export const judgeBlock = (
  segments: readonly StandingSegment[],
  columns: BlockColumns,
  contacts: ReadContacts,
  now: number,
): readonly Judgement[] =>
  judgeContacts(segments, contacts, now).map(({ segment, judged, present, members }) => ({
    segment,
    isWhole: true,
    judged: ALL,
    present: presentIn(columns).without(judged).or(present),
    members: evaluate(segment.tree, columns, now).without(judged).or(members),
  }));

/** The earlier of two times; undefined is never. */
export const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  earliest([one, other]);

/** When the passing of time next moves one of some contacts, and of those of the columns where they are given, in ms; undefined: never. */
export const nextMove = (
  segments: readonly StandingSegment[],
  contacts: ReadContacts,
  now: number,
  columns?: BlockColumns,
): number | undefined => {
  const windows = [...new Set(segments.flatMap(({ tree }) => windowsOf(tree)))];
  if (windows.length === 0) return undefined;
  const read = [...contacts.values()].map((contact) => contact?.lastInteractionAt);
  const told = columns ? interactionsIn(columns).filter((_, at) => !contacts.has(at)) : [];
  return earliest([...read, ...told].map((at) => nextChange(windows, at, now)));
};

/** Whether the passing of time moves contacts of a segment. */
export const isTimed = ({ tree }: StandingSegment): boolean => windowsOf(tree).length > 0;

/** What a segment's members were; undefined where its first members are still to be looked for. */
const membersBefore = (
  { block, segments }: BlockMembership,
  { segment: { id, baselineTo }, isWhole, members }: Judgement,
  now: number,
): SegmentMembers | undefined => {
  const before = segments[id];
  if (before || baselineTo === undefined) return before;
  // A block that is newer than the segment's first members began with none.
  if (block > baselineTo) return { baselineAt: now, members: NOBODY };
  return isWhole ? { baselineAt: now, members } : undefined;
};

/**
 * A block's membership after a look at it. Always a new version, also where nobody moved: it keeps an older look, which may know contacts as they were
 * before, from being written after this one.
 */
export const judged = (before: BlockMembership, judgements: readonly Judgement[], now: number): BlockMembership => {
  const version = before.version + 1;
  const segments = { ...before.segments };
  const pending = [...before.pending];
  for (const judgement of judgements) {
    const held = membersBefore(before, judgement, now);
    if (!held) continue;
    const { segment, judged: looked, present, members } = judgement;
    const stayed = held.members.without(looked);
    const entered = members.without(held.members);
    const left = held.members.and(looked).without(members).and(present);
    segments[segment.id] = { baselineAt: held.baselineAt, members: stayed.or(members) };
    if (entered.size + left.size > 0) pending.push({ segmentId: segment.id, at: now, version, entered, left });
  }
  return { ...before, version, at: now, segments, pending };
};

/** A block's membership without a segment that was deleted; the same where it has none. */
export const withoutSegment = (before: BlockMembership, segmentId: Id<'segment'>): BlockMembership => {
  const { [segmentId]: members, ...segments } = before.segments;
  if (!members) return before;
  const pending = before.pending.filter((moves) => moves.segmentId !== segmentId);
  return { ...before, version: before.version + 1, segments, pending };
};

import { BLOCK_SIZE, BlockSet } from '../audience/block.ts';
import { type ContactDigest, digestOf } from '../audience/digest.ts';
import { type BlockColumns, evaluate, interactionsIn, presentIn } from '../audience/evaluate.ts';
import { earliest, type FilterTree, matches, nextChange, windowsOf } from '../audience/filters.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';

/*
 * Who is in which segment, kept block by block, so that entering and leaving is noticed. Plain functions of a block's row; it is read and written
 * in shared/storage/audience/members.ts.
 */

/** A segment whose members are kept. */
export interface TrackedSegment extends Pick<Tenant, 'env'> {
  readonly id: Id<'segment'>;
  readonly tree: FilterTree;
  /** The last block that existed when its first members were determined: who matches there begins as a member. Undefined until then. */
  readonly baselineTo?: number | undefined;
}
/** The members of a segment in a block; times in ms. */
export interface SegmentMembers {
  /** When the first members were determined: nobody was told of these. */
  readonly baselineAt: number;
  readonly members: BlockSet;
}
/** Contacts of a block that entered or left a segment in one evaluation. */
export interface BlockTransitions {
  readonly segmentId: Id<'segment'>;
  /** ms. */
  readonly at: number;
  /** Of the block's membership that has them first: with segment and contact it identifies one transition. */
  readonly version: number;
  readonly entered: BlockSet;
  readonly left: BlockSet;
}
/** Who of a block is in which segment. */
export interface BlockMembership extends Tenant {
  readonly block: number;
  /** Counts its writes; 0: not written yet. */
  readonly version: number;
  /** The latest time that contacts were evaluated at, in ms: no evaluation is at an earlier time, whatever its clock says. */
  readonly at: number;
  /** By the segment's id. */
  readonly segments: Readonly<Record<string, SegmentMembers>>;
  /** Transitions that may not have been delivered to all takers yet, in their order. */
  readonly pendingTransitions: readonly BlockTransitions[];
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
  /** Grows with every transition of the contact. */
  readonly version: number;
}
/**
 * Takes what entered and left: each at least once, a contact's in their order. A repeat may also come after a later one was taken: by segment, contact and
 * version a taker knows what it has. Rejects where it has not taken all; all come again then.
 */
export type TransitionTaker = (transitions: readonly Transition[]) => Promise<void>;

/** Whether a contact is in a segment by its block's membership, and since when (ms; undefined while a later transition is being stored). */
export interface MembershipStatus {
  readonly isMember: boolean;
  readonly since?: number | undefined;
}
/** Undefined: the segment's first members are not determined yet. */
export type ReadMembershipStatus = (
  contact: Contact,
  segmentId: Id<'segment'>,
) => Promise<MembershipStatus | undefined>;

/** The result of evaluating contacts of a block for a segment. */
export interface BlockEvaluation {
  readonly segment: TrackedSegment;
  /** Whether all contacts of the block were evaluated. */
  readonly isWhole: boolean;
  /** Which contacts were evaluated, which of them exist, and which match. */
  readonly evaluated: BlockSet;
  readonly present: BlockSet;
  readonly members: BlockSet;
}
/** Contacts that were read, by their offsets; undefined: it was deleted. */
export type ReadContacts = ReadonlyMap<number, Contact | undefined>;

const ALL = BlockSet.of(Array.from({ length: BLOCK_SIZE }, (_, at) => at));
const NOBODY: SegmentMembers['members'] = new BlockSet();

const offsetsWhere = (contacts: ReadContacts, holds: (contact: ContactDigest) => boolean): BlockSet =>
  BlockSet.of([...contacts].flatMap(([at, contact]) => (contact && holds(digestOf(contact)) ? [at] : [])));

/** Evaluates some contacts of a block by their rows, at `now` (ms). */
export const evaluateContacts = (
  segments: readonly TrackedSegment[],
  contacts: ReadContacts,
  now: number,
): readonly BlockEvaluation[] => {
  const evaluated = BlockSet.of(contacts.keys());
  const present = offsetsWhere(contacts, () => true);
  return segments.map((segment) => ({
    segment,
    isWhole: false,
    evaluated,
    present,
    members: offsetsWhere(contacts, (contact) => matches(segment.tree, contact, now)),
  }));
};

/** Evaluates all contacts of a block by its columns, and those that were read by their rows, at `now` (ms). */
export const evaluateBlock = (
  segments: readonly TrackedSegment[],
  columns: BlockColumns,
  contacts: ReadContacts,
  now: number,
): readonly BlockEvaluation[] =>
  evaluateContacts(segments, contacts, now).map(({ segment, evaluated, present, members }) => ({
    segment,
    isWhole: true,
    evaluated: ALL,
    present: presentIn(columns).without(evaluated).or(present),
    members: evaluate(segment.tree, columns, now).without(evaluated).or(members),
  }));

/** The earlier of two times; undefined is never. */
export const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  earliest([one, other]);

/** When the passing of time next makes one of some contacts enter or leave, and of those of the columns where they are given, in ms; undefined: never. */
export const nextTransitionAt = (
  segments: readonly TrackedSegment[],
  contacts: ReadContacts,
  now: number,
  columns?: BlockColumns,
): number | undefined => {
  const windows = [...new Set(segments.flatMap(({ tree }) => windowsOf(tree)))];
  if (windows.length === 0) return undefined;
  const read = [...contacts.values()].map((contact) => contact?.lastInteractionAt);
  const indexed = columns ? interactionsIn(columns).filter((_, at) => !contacts.has(at)) : [];
  return earliest([...read, ...indexed].map((at) => nextChange(windows, at, now)));
};

/** Whether contacts enter or leave a segment by the passing of time. */
export const isTimed = ({ tree }: TrackedSegment): boolean => windowsOf(tree).length > 0;

/** What a segment's members were; undefined where its first members are not determined yet. */
const membersBefore = (
  { block, segments }: BlockMembership,
  { segment: { id, baselineTo }, isWhole, members }: BlockEvaluation,
  now: number,
): SegmentMembers | undefined => {
  const before = segments[id];
  if (before || baselineTo === undefined) return before;
  // A block that is newer than the segment's first members began with none.
  if (block > baselineTo) return { baselineAt: now, members: NOBODY };
  return isWhole ? { baselineAt: now, members } : undefined;
};

/**
 * A block's membership after an evaluation. Always a new version, also without a transition: it keeps an older evaluation, which may know contacts as they were
 * before, from being written after this one.
 */
export const applyEvaluations = (
  before: BlockMembership,
  evaluations: readonly BlockEvaluation[],
  now: number,
): BlockMembership => {
  const version = before.version + 1;
  const segments = { ...before.segments };
  const pendingTransitions = [...before.pendingTransitions];
  for (const evaluation of evaluations) {
    const held = membersBefore(before, evaluation, now);
    if (!held) continue;
    const { segment, evaluated, present, members } = evaluation;
    const stayed = held.members.without(evaluated);
    const entered = members.without(held.members);
    const left = held.members.and(evaluated).without(members).and(present);
    segments[segment.id] = { baselineAt: held.baselineAt, members: stayed.or(members) };
    if (entered.size + left.size > 0)
      pendingTransitions.push({ segmentId: segment.id, at: now, version, entered, left });
  }
  return { ...before, version, at: now, segments, pendingTransitions };
};

/** A block's membership without a segment that was deleted; the same where it has none. */
export const withoutSegment = (before: BlockMembership, segmentId: Id<'segment'>): BlockMembership => {
  const { [segmentId]: members, ...segments } = before.segments;
  if (!members) return before;
  const pendingTransitions = before.pendingTransitions.filter((each) => each.segmentId !== segmentId);
  return { ...before, version: before.version + 1, segments, pendingTransitions };
};

import { BLOCK_SIZE, BlockSet } from '../audience/block.ts';
import { type ContactDigest, digestOf } from '../audience/digest.ts';
import { type BlockColumns, evaluate, interactionsIn, presentIn } from '../audience/evaluate.ts';
import { earliest, type FilterTree, matches, nextChange, windowsOf } from '../audience/filters.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';

/*
 * The members of segments, stored block by block, so that entering and leaving is detected. Pure functions over a block's row, which
 * shared/storage/audience/members.ts reads and writes.
 */

/** A segment whose members are tracked. */
export interface TrackedSegment extends Pick<Tenant, 'env'> {
  readonly id: Id<'segment'>;
  readonly tree: FilterTree;
  /** The last block that existed when the baseline was determined: contacts in it that match start as members. Undefined until then. */
  readonly baselineTo?: number | undefined;
}
/** The members of a segment in a block; times in ms. */
export interface SegmentMembers {
  /** When the baseline was determined, which raises no transitions. */
  readonly baselineAt: number;
  readonly members: BlockSet;
}
/** Contacts of a block that entered or left a segment in one evaluation. */
export interface BlockTransitions {
  readonly segmentId: Id<'segment'>;
  /** ms. */
  readonly at: number;
  /** The version of the block's membership that first contains them: with segment and contact it identifies one transition. */
  readonly version: number;
  readonly entered: BlockSet;
  readonly left: BlockSet;
}
/** The segment members in a block. */
export interface BlockMembership extends Tenant {
  readonly block: number;
  /** Incremented by each write; 0: not written yet. */
  readonly version: number;
  /** The time of the latest evaluation, in ms: later evaluations never use an earlier one, whatever the clock says. */
  readonly at: number;
  /** By the segment's id. */
  readonly segments: Readonly<Record<string, SegmentMembers>>;
  /** Transitions that may not have been delivered to all consumers yet, in order. */
  readonly pendingTransitions: readonly BlockTransitions[];
  /** Time alone changes no membership in the block before this, in ms; undefined: never. */
  readonly nextChangeAt?: number | undefined;
}

/** A contact enters or leaves a segment. Identified by segment, contact and version. */
export interface Transition extends Tenant {
  readonly kind: 'entered' | 'left';
  readonly segmentId: Id<'segment'>;
  readonly contactId: Id<'contact'>;
  /** ms. */
  readonly at: number;
  /** Increases with every transition of the contact. */
  readonly version: number;
}
/**
 * Consumes transitions: each at least once, those of a contact in order. A repeat may arrive after a later one, and is recognized by
 * segment, contact and version. Rejects if not all were consumed; all are delivered again then.
 */
export type TransitionTaker = (transitions: readonly Transition[]) => Promise<void>;

/**
 * Whether a contact is in a segment according to its block's membership, and since when (ms; undefined while a later transition is being
 * stored).
 */
export interface MembershipStatus {
  readonly isMember: boolean;
  readonly since?: number | undefined;
}
/** Undefined: the segment's baseline is not determined yet. */
export type ReadMembershipStatus = (
  contact: Contact,
  segmentId: Id<'segment'>,
) => Promise<MembershipStatus | undefined>;

/** The result of evaluating contacts of a block for a segment. */
export interface BlockEvaluation {
  readonly segment: TrackedSegment;
  /** Whether all contacts of the block were evaluated. */
  readonly isWhole: boolean;
  /** The evaluated contacts, and which of them exist and match. */
  readonly evaluated: BlockSet;
  readonly present: BlockSet;
  readonly members: BlockSet;
}
/** Contact rows by offset; undefined: the contact was deleted. */
export type ReadContacts = ReadonlyMap<number, Contact | undefined>;

const ALL = BlockSet.of(Array.from({ length: BLOCK_SIZE }, (_, at) => at));
const NOBODY: SegmentMembers['members'] = new BlockSet();

const offsetsWhere = (contacts: ReadContacts, holds: (contact: ContactDigest) => boolean): BlockSet =>
  BlockSet.of([...contacts].flatMap(([at, contact]) => (contact && holds(digestOf(contact)) ? [at] : [])));

/** Evaluates some contacts of a block from their rows, at `now` (ms). */
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

/** Evaluates all contacts of a block from its columns, or from their rows if read, at `now` (ms). */
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

/** The earlier of two times; undefined means never. */
export const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  earliest([one, other]);

/** When time alone next changes the membership of some contacts, or of those in the columns if given, in ms; undefined: never. */
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

/** Whether time alone can change a segment's members. */
export const isTimed = ({ tree }: TrackedSegment): boolean => windowsOf(tree).length > 0;

/** The previous members of a segment; undefined if its baseline is not determined yet. */
const membersBefore = (
  { block, segments }: BlockMembership,
  { segment: { id, baselineTo }, isWhole, members }: BlockEvaluation,
  now: number,
): SegmentMembers | undefined => {
  const before = segments[id];
  if (before || baselineTo === undefined) return before;
  // A block newer than the segment's baseline started without members.
  if (block > baselineTo) return { baselineAt: now, members: NOBODY };
  return isWhole ? { baselineAt: now, members } : undefined;
};

/**
 * A block's membership after an evaluation. Always a new version, even without transitions, so that an older evaluation of outdated
 * contacts can't be written after it.
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

/** A block's membership without a deleted segment; unchanged if it has none. */
export const withoutSegment = (before: BlockMembership, segmentId: Id<'segment'>): BlockMembership => {
  const { [segmentId]: members, ...segments } = before.segments;
  if (!members) return before;
  const pendingTransitions = before.pendingTransitions.filter((each) => each.segmentId !== segmentId);
  return { ...before, version: before.version + 1, segments, pendingTransitions };
};

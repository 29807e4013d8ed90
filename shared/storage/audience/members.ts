import { numberAt, placeOf } from '../../domain/audience/block.ts';
import type { ColumnName } from '../../domain/audience/columns.ts';
import type { BlockColumns } from '../../domain/audience/evaluate.ts';
import { columnsOf, unindexedIn } from '../../domain/audience/evaluate.ts';
import type { Environment } from '../../domain/core/actor.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Clock } from '../../domain/core/time.ts';
import {
  applyEvaluations,
  type BlockMembership,
  earlier,
  evaluateBlock,
  evaluateContacts,
  isTimed,
  nextTransitionAt,
  type ReadContacts,
  type TrackedSegment,
  type TransitionTaker,
} from '../../domain/segments/membership.ts';
import type { Table } from '../client/table.ts';
import { readChanged } from '../contacts/changed-contacts.ts';
import { contactsOfNumbers } from '../contacts/contact-numbers.ts';
import { readTrackedSegments } from '../segments/tracked-segments.ts';
import { columnAt, readColumns } from './column-rows.ts';
import { deliverTransitions, firstBatch } from './deliver-transitions.ts';
import { readMembers, writeMembers } from './member-rows.ts';
import { type Located, located, readContactsBy } from './read-contacts.ts';

/*
 * Tracks the members of segments. An evaluation of a block reads its membership first, then marks, then the segments, then columns and
 * contacts, and writes the membership if its version is unchanged. Evaluations of a block are therefore ordered, and each sees contacts at
 * least as new as the one before. The cause of an evaluation (a due mark, a due membership, a sweep) stays due until its transitions are
 * delivered.
 */

export interface MemberPorts {
  readonly table: Table;
  /** ms. */
  readonly clock: Clock;
  /** Consumers of transitions. */
  readonly takers: readonly TransitionTaker[];
}

/** The membership of a block that was not evaluated yet. */
export const newMembership = (
  organizationId: Id<'organization'>,
  env: Environment,
  block: number,
): BlockMembership => ({ organizationId, env, block, version: 0, at: 0, segments: {}, pendingTransitions: [] });

/**
 * Stores the result of an evaluation, and delivers its transitions. `nextChangeAt`: when the block is next due, once they are delivered;
 * until then it stays due, if it was. False if another evaluation was faster: this one must be repeated.
 */
const saveAndDeliver = async (
  { table, takers }: MemberPorts,
  evaluated: BlockMembership,
  nextChangeAt: number | undefined,
): Promise<boolean> => {
  const dueBefore =
    evaluated.pendingTransitions.length > 0 ? earlier(evaluated.nextChangeAt, nextChangeAt) : nextChangeAt;
  let members: BlockMembership = { ...evaluated, nextChangeAt: dueBefore };
  if (!(await writeMembers(table, members))) return false;
  while (members.pendingTransitions.length > 0) {
    const batch = firstBatch(members.pendingTransitions);
    await deliverTransitions(table, takers, members, batch);
    const pendingTransitions = members.pendingTransitions.slice(batch.length);
    const due = pendingTransitions.length > 0 ? dueBefore : nextChangeAt;
    members = { ...members, version: members.version + 1, pendingTransitions, nextChangeAt: due };
    if (!(await writeMembers(table, members))) return false;
  }
  return true;
};

/**
 * Evaluates some contacts of a block. `members` must be read before the segments, and these before the contacts. Result as for
 * `saveAndDeliver`.
 */
export const updateMembersOfContacts = (
  ports: MemberPorts,
  members: BlockMembership,
  segments: readonly TrackedSegment[],
  contacts: ReadContacts,
): Promise<boolean> => {
  const now = Math.max(ports.clock(), members.at);
  const evaluated = applyEvaluations(members, evaluateContacts(segments, contacts, now), now);
  return saveAndDeliver(ports, evaluated, earlier(members.nextChangeAt, nextTransitionAt(segments, contacts, now)));
};

/** The columns of a block that the conditions of some segments need. */
const columnsFor = async (
  table: Table,
  organizationId: Id<'organization'>,
  block: number,
  segments: readonly TrackedSegment[],
): Promise<BlockColumns> => {
  const names = new Set<ColumnName>(['interactions', ...segments.flatMap(({ tree }) => [...columnsOf(tree)])]);
  const places = [...names].map((name) => ({ organizationId, block, name }));
  const columns = await readColumns(table, places);
  return new Map(
    places.flatMap((place) => {
      const found = columnAt(columns, place);
      return found ? [[place.name, found.column] as const] : [];
    }),
  );
};

/** Contacts of a block to evaluate by their rows: those with marks, and those that are not indexed. */
const contactsBesides = async (
  table: Table,
  organizationId: Id<'organization'>,
  block: number,
  columns: BlockColumns,
  marks: readonly Located[],
): Promise<ReadContacts> => {
  const unindexed = [...unindexedIn(columns).newestFirst()];
  const ids = await contactsOfNumbers(
    table,
    organizationId,
    unindexed.map((offset) => numberAt(block, offset)),
  );
  const byOffset = new Map(unindexed.map((offset, nth) => [offset, ids[nth]]));
  for (const { number, contactId } of marks)
    if (placeOf(number).block === block) byOffset.set(placeOf(number).offset, contactId);
  return readContactsBy(table, byOffset);
};

/** The segments that a block is evaluated for. */
export interface Chosen {
  readonly choose: (segment: TrackedSegment) => boolean;
  /** True if these are all segments with time windows: the block is due again when the next window ends. */
  readonly isExact: boolean;
}

/** Evaluates all contacts of a block for the chosen segments, by its columns. Result as for `saveAndDeliver`. */
export const updateMembersOfBlock = async (
  ports: MemberPorts,
  { organizationId, env }: Pick<BlockMembership, 'env' | 'organizationId'>,
  block: number,
  { choose, isExact }: Chosen,
): Promise<boolean> => {
  const { table, clock } = ports;
  const [members = newMembership(organizationId, env, block)] = await readMembers(table, organizationId, [block]);
  const marks = await located(table, await readChanged(table, organizationId));
  const segments = (await readTrackedSegments(table, organizationId)).filter(choose);
  const columns = await columnsFor(table, organizationId, block, segments);
  const contacts = await contactsBesides(table, organizationId, block, columns, marks);
  const now = Math.max(clock(), members.at);
  const evaluated = applyEvaluations(members, evaluateBlock(segments, columns, contacts, now), now);
  const next = nextTransitionAt(segments, contacts, now, columns);
  return saveAndDeliver(ports, evaluated, isExact ? next : earlier(members.nextChangeAt, next));
};

/** Evaluates a block in which a time window has ended, if it is due. Result as for `saveAndDeliver`. */
export const letTimePass = async (
  ports: MemberPorts,
  organizationId: Id<'organization'>,
  block: number,
): Promise<boolean> => {
  const [members] = await readMembers(ports.table, organizationId, [block]);
  if (members?.nextChangeAt === undefined || members.nextChangeAt > ports.clock()) return true;
  return updateMembersOfBlock(ports, members, block, { choose: isTimed, isExact: true });
};

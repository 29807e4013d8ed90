import { numberAt, placeOf } from '../../domain/audience/block.ts';
import type { ColumnName } from '../../domain/audience/columns.ts';
import type { BlockColumns } from '../../domain/audience/evaluate.ts';
import { columnsOf, unindexedIn } from '../../domain/audience/evaluate.ts';
import type { Environment } from '../../domain/core/actor.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Clock } from '../../domain/core/time.ts';
import {
  type BlockMembership,
  earlier,
  isTimed,
  judgeBlock,
  judgeContacts,
  judged,
  nextMove,
  type ReadContacts,
  type StandingSegment,
  type TransitionTaker,
} from '../../domain/segments/membership.ts';
import type { Table } from '../client/table.ts';
import { readChanged } from '../contacts/changed-contacts.ts';
import { contactsOfNumbers } from '../contacts/contact-numbers.ts';
import { readStanding } from '../segments/standing-segments.ts';
import { columnAt, readColumns } from './column-rows.ts';
import { readMembers, writeMembers } from './member-rows.ts';
import { type Located, located, readContactsBy } from './read-contacts.ts';
import { firstMoves, takeMoves } from './take-moves.ts';

/*
 * What keeps the members of segments. A look at a block reads its membership first, then marks, then the segments, then columns and contacts, and writes the
 * membership over the version that it read: looks at a block have an order, and each knows contacts at least as new as the one before it. Whoever
 * has a look done (a due mark, a due membership, a sweep) stays due until the moves that the look found are taken.
 */

export interface MemberPorts {
  readonly table: Table;
  /** ms. */
  readonly clock: Clock;
  /** Whoever wants to know who enters and leaves. */
  readonly takers: readonly TransitionTaker[];
}

/** A block that nobody looked at yet. */
export const newMembership = (
  organizationId: Id<'organization'>,
  env: Environment,
  block: number,
): BlockMembership => ({ organizationId, env, block, version: 0, at: 0, segments: {}, pending: [] });

/**
 * Writes a look at a block, and has its moves taken. `nextChangeAt`: what the membership says of it once they are; until then it stays due, if it was.
 * False when another look came between: what this one was about is to be looked at again.
 */
const settle = async (
  { table, takers }: MemberPorts,
  look: BlockMembership,
  nextChangeAt: number | undefined,
): Promise<boolean> => {
  const dueBefore = look.pending.length > 0 ? earlier(look.nextChangeAt, nextChangeAt) : nextChangeAt;
  let members: BlockMembership = { ...look, nextChangeAt: dueBefore };
  if (!(await writeMembers(table, members))) return false;
  while (members.pending.length > 0) {
    const moves = firstMoves(members.pending);
    await takeMoves(table, takers, members, moves);
    const pending = members.pending.slice(moves.length);
    const due = pending.length > 0 ? dueBefore : nextChangeAt;
    members = { ...members, version: members.version + 1, pending, nextChangeAt: due };
    if (!(await writeMembers(table, members))) return false;
  }
  return true;
};

/** Looks at some contacts of a block. `members` was read before the segments, and these before the contacts. As `settle`. */
export const lookAtContacts = (
  ports: MemberPorts,
  members: BlockMembership,
  segments: readonly StandingSegment[],
  contacts: ReadContacts,
): Promise<boolean> => {
  const now = Math.max(ports.clock(), members.at);
  const look = judged(members, judgeContacts(segments, contacts, now), now);
  return settle(ports, look, earlier(members.nextChangeAt, nextMove(segments, contacts, now)));
};

/** The columns of a block that some segments ask for. */
const columnsFor = async (
  table: Table,
  organizationId: Id<'organization'>,
  block: number,
  segments: readonly StandingSegment[],
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

/** Contacts of a block that are read themselves: those that are marked, or of whom the columns do not tell enough. */
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
  const wanted = new Map(unindexed.map((offset, nth) => [offset, ids[nth]]));
  for (const { number, contactId } of marks)
    if (placeOf(number).block === block) wanted.set(placeOf(number).offset, contactId);
  return readContactsBy(table, wanted);
};

/** Which segments a look at a block is about. */
export interface Chosen {
  readonly choose: (segment: StandingSegment) => boolean;
  /** These are all whose contacts the passing of time moves: the block is due again when it next does. */
  readonly isExact: boolean;
}

/** Looks at all contacts of a block for the segments that are chosen, by its columns. As `settle`. */
export const lookAtBlock = async (
  ports: MemberPorts,
  { organizationId, env }: Pick<BlockMembership, 'env' | 'organizationId'>,
  block: number,
  { choose, isExact }: Chosen,
): Promise<boolean> => {
  const { table, clock } = ports;
  const [members = newMembership(organizationId, env, block)] = await readMembers(table, organizationId, [block]);
  const marks = await located(table, await readChanged(table, organizationId));
  const segments = (await readStanding(table, organizationId)).filter(choose);
  const columns = await columnsFor(table, organizationId, block, segments);
  const contacts = await contactsBesides(table, organizationId, block, columns, marks);
  const now = Math.max(clock(), members.at);
  const look = judged(members, judgeBlock(segments, columns, contacts, now), now);
  const next = nextMove(segments, contacts, now, columns);
  return settle(ports, look, isExact ? next : earlier(members.nextChangeAt, next));
};

/** Has the passing of time take effect on a block, where it is due. As `settle`. */
export const letTimePass = async (
  ports: MemberPorts,
  organizationId: Id<'organization'>,
  block: number,
): Promise<boolean> => {
  const [members] = await readMembers(ports.table, organizationId, [block]);
  if (members?.nextChangeAt === undefined || members.nextChangeAt > ports.clock()) return true;
  return lookAtBlock(ports, members, block, { choose: isTimed, isExact: true });
};

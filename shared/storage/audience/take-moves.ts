import { numberAt } from '../../domain/audience/block.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { BlockMembership, Moves, Transition, TransitionTaker } from '../../domain/segments/membership.ts';
import type { Table } from '../client/table.ts';
import { contactsOfNumbers } from '../contacts/contact-numbers.ts';

/** The moves of a block, contact by contact; those of contacts that are gone concern nobody. */
export const transitionsOf = async (
  table: Table,
  { organizationId, env, block }: BlockMembership,
  { segmentId, at, version, entered, left }: Moves,
): Promise<readonly Transition[]> => {
  const moved = [
    ...[...entered.newestFirst()].map((offset) => ({ offset, kind: 'entered' as const })),
    ...[...left.newestFirst()].map((offset) => ({ offset, kind: 'left' as const })),
  ];
  const ids = await contactsOfNumbers(
    table,
    organizationId,
    moved.map(({ offset }) => numberAt(block, offset)),
  );
  return moved.flatMap(({ kind }, nth) => {
    const contactId = ids[nth];
    return contactId ? [{ organizationId, env, segmentId, at, version, kind, contactId }] : [];
  });
};

/** So many moves are taken before their block is written without them: a worker that is interrupted does not begin from the first. */
const MOVES_AT_ONCE = 1_000;

/** The first of a block's pending moves that are taken together. */
export const firstMoves = (pending: readonly Moves[]): readonly Moves[] => {
  let count = 0;
  const end = pending.findIndex(({ entered, left }) => {
    count += entered.size + left.size;
    return count >= MOVES_AT_ONCE;
  });
  return end < 0 ? pending : pending.slice(0, end + 1);
};

/** Has all takers take some moves of a block, in their order. */
export const takeMoves = async (
  table: Table,
  takers: readonly TransitionTaker[],
  members: BlockMembership,
  moves: readonly Moves[],
): Promise<void> => {
  for (const each of moves) {
    const transitions = await transitionsOf(table, members, each);
    if (transitions.length > 0) await mapConcurrently(takers, takers.length, (take) => take(transitions));
  }
};

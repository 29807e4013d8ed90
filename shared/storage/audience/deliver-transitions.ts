import { numberAt } from '../../domain/audience/block.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type {
  BlockMembership,
  BlockTransitions,
  Transition,
  TransitionTaker,
} from '../../domain/segments/membership.ts';
import type { Table } from '../client/table.ts';
import { contactsOfNumbers } from '../contacts/contact-numbers.ts';

/** The transitions of a block, one per contact; those of deleted contacts are omitted. */
export const transitionsOf = async (
  table: Table,
  { organizationId, env, block }: BlockMembership,
  { segmentId, at, version, entered, left }: BlockTransitions,
): Promise<readonly Transition[]> => {
  const transitions = [
    ...[...entered.newestFirst()].map((offset) => ({ offset, kind: 'entered' as const })),
    ...[...left.newestFirst()].map((offset) => ({ offset, kind: 'left' as const })),
  ];
  const ids = await contactsOfNumbers(
    table,
    organizationId,
    transitions.map(({ offset }) => numberAt(block, offset)),
  );
  return transitions.flatMap(({ kind }, nth) => {
    const contactId = ids[nth];
    return contactId ? [{ organizationId, env, segmentId, at, version, kind, contactId }] : [];
  });
};

/** Transitions delivered before their block is written without them: an interrupted worker repeats at most these. */
const BATCH_SIZE = 1_000;

/** The first of a block's pending transitions, which are delivered together. */
export const firstBatch = (pendingTransitions: readonly BlockTransitions[]): readonly BlockTransitions[] => {
  let count = 0;
  const end = pendingTransitions.findIndex(({ entered, left }) => {
    count += entered.size + left.size;
    return count >= BATCH_SIZE;
  });
  return end < 0 ? pendingTransitions : pendingTransitions.slice(0, end + 1);
};

/** Delivers some transitions of a block to all consumers, in order. */
export const deliverTransitions = async (
  table: Table,
  takers: readonly TransitionTaker[],
  members: BlockMembership,
  batch: readonly BlockTransitions[],
): Promise<void> => {
  for (const each of batch) {
    const transitions = await transitionsOf(table, members, each);
    if (transitions.length > 0) await mapConcurrently(takers, takers.length, (take) => take(transitions));
  }
};

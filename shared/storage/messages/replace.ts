import { archivedBy } from '../../domain/message/archive.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import { fallbackNews } from './fallbacks.ts';
import { moveWrites, releaseEntryWrites } from './holds.ts';
import { messageRows } from './message-rows.ts';
import { bodyGone } from './queued.ts';

/** Condition: the original is unchanged since it was read, and nobody replaced it: a queued one has not left. */
const isUnchanged = ({ status, hold, fence }: MessageRecord): Condition => ({
  text: 'attribute_not_exists(#archivedAt) AND #status = :status AND #hold = :hold AND #fence = :fence',
  values: { status, hold, fence },
});

/** What a queued original leaves behind when it is never to leave: its hold, its body, its fallback. The wallet itself is the debit's part. */
const withdraw = (original: MessageRecord, at: number): WriteOp[] => [
  ...releaseEntryWrites(original, at, 'archived'),
  ...bodyGone(original),
  ...fallbackNews({ ...original, reason: 'cancelled' }, at),
];

/**
 * What a reservation writes of the message that it replaces (docs/spec/messages.md#resend): archived, and pointing at the new one. Its status stays
 * what its channel says. The fence is raised, so that whoever read the original before can no longer resolve it.
 */
export const replaceWrites = (
  original: MessageRecord,
  replacement: MessageRecord,
): { readonly archive: WriteOp; readonly withdrawal: readonly WriteOp[] } => {
  const at = replacement.createdAt;
  const queued = original.hold === 'open';
  const { lastError, originalError, decision } = archivedBy(original, replacement);
  return {
    archive: {
      update: KEYS.message(original.id),
      set: messageRows.set({
        archivedAt: at,
        updatedAt: at,
        replacedBy: replacement.id,
        lastError,
        originalError,
        hold: queued ? 'released' : undefined,
      }),
      append: { decisions: [decision] },
      ...(queued ? { remove: ['duePk', 'dueAt'] } : {}),
      add: { fence: 1 },
      when: isUnchanged(original),
    },
    withdrawal: queued ? withdraw(original, at) : moveWrites(original, 'archived'),
  };
};

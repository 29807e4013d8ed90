import { archivedBy } from '../domain/messages/archive.ts';
import type { MessageRecord } from '../domain/messages/message.ts';
import { isoTime } from '../domain/time.ts';
import { KEYS } from './access-patterns.ts';
import { chainNews } from './chains.ts';
import type { Condition, WriteOp } from './expressions.ts';
import { moveWrites, releaseEntryWrites } from './holds.ts';
import { bodyGone } from './queued.ts';

/** The original stands as it was read, and nobody replaced it: a queued one has not left. */
const standsAs = ({ status, hold, fence }: MessageRecord): Condition => ({
  text: 'attribute_not_exists(#archivedAt) AND #status = :status AND #hold = :hold AND #fence = :fence',
  values: { status, hold, fence },
});

/** What a queued original leaves behind when it is never to leave: its hold, its body, its chain. The wallet itself is the debit's part. */
const withdraw = (original: MessageRecord, at: number): WriteOp[] => {
  return [
    ...releaseEntryWrites(original, at, 'archived'),
    ...bodyGone(original),
    ...chainNews({ ...original, reason: 'cancelled' }, at),
  ];
};

/**
 * What a reservation writes of the message that it replaces (interface, part 3): archived, and pointing at the new one. Its status stays
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
      set: {
        archivedAt: isoTime(at),
        updatedAt: isoTime(at),
        replacedBy: replacement.id,
        lastError,
        originalError,
        ...(queued ? { hold: 'released' } : {}),
      },
      append: { decisions: [decision] },
      ...(queued ? { remove: ['duePk', 'dueAt'] } : {}),
      add: { fence: 1 },
      when: standsAs(original),
    },
    withdrawal: queued ? withdraw(original, at) : moveWrites(original, 'archived'),
  };
};

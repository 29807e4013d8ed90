import { archivedBy } from '../../domain/message/archive.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import { archiveExpiry } from '../archive/archive-expiry.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { reportWrites } from '../smpp/notice-writes.ts';
import { fallbackStatusWrites } from './fallbacks.ts';
import { moveWrites, releaseEntryWrites } from './holds.ts';
import { keptState } from './late-changes.ts';
import { messageRows } from './message-rows.ts';
import { bodyDeletes } from './queued.ts';

/** Condition: the original is unchanged since it was read, and not replaced; a queued one is unsent. */
const isUnchanged = ({ status, hold, fence }: MessageRecord): Condition => ({
  text: 'attribute_not_exists(#archivedAt) AND #status = :status AND #hold = :hold AND #fence = :fence',
  values: { status, hold, fence },
});

/** The writes that end a queued original: its hold, its body, its fallback. The debit writes the wallet. */
const withdraw = (original: MessageRecord, at: number): WriteOp[] => [
  ...releaseEntryWrites(original, at, 'archived'),
  ...bodyDeletes(original),
  ...fallbackStatusWrites({ ...original, reason: 'cancelled' }, at),
  // Its account gets a report that it is not sent: the replacement was not submitted by the account.
  ...reportWrites(original, { status: 'failed', reason: 'cancelled', at }),
];

/**
 * The writes on the message that a reservation replaces (docs/spec/messages.md#resend): archived, with the new message's id. Its status
 * stays. The fence is raised, so that a sender that read the original before can no longer resolve it.
 */
export const replaceWrites = (
  table: Table,
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
        ...messageRows.set({
          archivedAt: at,
          updatedAt: at,
          replacedBy: replacement.id,
          lastError,
          originalError,
          hold: queued ? 'released' : undefined,
        }),
        ...archiveExpiry(table, at),
      },
      setOnce: keptState(original, at),
      append: { decisions: [decision] },
      ...(queued ? { remove: ['duePk', 'dueAt'] } : {}),
      add: { fence: 1 },
      when: isUnchanged(original),
    },
    withdrawal: queued ? withdraw(original, at) : moveWrites(original, 'archived'),
  };
};

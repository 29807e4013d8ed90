import type { Decision, MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import { transactOnce, updateOnce } from '../client/claim-mark.ts';
import type { Update, WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { messageRows } from './message-rows.ts';

/**
 * Makes a queued message due at a time (ms), ignoring quiet hours and other deferrals, and restarts the wait of its fallback from then.
 * False if it was sent or cancelled meanwhile.
 */
export const forceSend = async (
  table: Table,
  message: MessageRecord,
  at: number,
  decision: Decision,
): Promise<boolean> => {
  const { fallbackId } = message;
  const messageWrite: Update = {
    update: KEYS.message(message.id),
    set: {
      ...messageRows.set({ force: true, deadline: at, updatedAt: at }),
      ...INDEX_KEYS.due('send_message', message.id, at),
    },
    append: { decisions: [decision] },
    when: {
      text: '#hold = :open AND #status = :queued AND #fence = :fence',
      values: { open: 'open', queued: 'queued', fence: message.fence },
    },
  };
  if (!fallbackId) return (await updateOnce(table, messageWrite, 'mark')) !== undefined;
  const fallbackWrite: WriteOp = { update: KEYS.fallback(fallbackId), set: INDEX_KEYS.due('fallback', fallbackId, at) };
  return (await transactOnce(table, messageWrite, [fallbackWrite], 'mark')).ok;
};

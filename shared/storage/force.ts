import type { Decision, MessageRecord } from '../domain/messages/message.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import type { Table } from './table.ts';

/**
 * Makes a queued message due at a moment (ms), past whatever would defer it, and has its fallbacks wait from there; false when it left
 * or was withdrawn meanwhile.
 */
export const forceLeave = async (
  table: Table,
  message: MessageRecord,
  at: number,
  decision: Decision,
): Promise<boolean> => {
  const { chainId } = message;
  const leaves: WriteOp = {
    update: KEYS.message(message.id),
    set: { force: true, deadline: at, updatedAt: isoTime(at), ...FINDS.due('send_message', message.id, at) },
    append: { decisions: [decision] },
    when: {
      text: '#hold = :open AND #status = :queued AND #fence = :fence',
      values: { open: 'open', queued: 'queued', fence: message.fence },
    },
  };
  if (!chainId) return (await table.write(leaves)).ok;
  const wakes: WriteOp = { update: KEYS.chain(chainId), set: FINDS.due('fallback', chainId, at) };
  return (await table.transact([leaves, wakes])).ok;
};

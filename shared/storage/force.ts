import type { Decision, MessageRecord } from '../domain/messages/message.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { Table } from './table.ts';

/** Makes a queued message due at a moment (ms), past whatever would defer it; false when it left or was withdrawn meanwhile. */
export const forceLeave = async (
  table: Table,
  message: MessageRecord,
  at: number,
  decision: Decision,
): Promise<boolean> => {
  const { ok } = await table.write({
    update: KEYS.message(message.id),
    set: { force: true, deadline: at, updatedAt: isoTime(at), ...FINDS.due('send_message', message.id, at) },
    append: { decisions: [decision] },
    when: {
      text: '#hold = :open AND #status = :queued AND #fence = :fence',
      values: { open: 'open', queued: 'queued', fence: message.fence },
    },
  });
  return ok;
};

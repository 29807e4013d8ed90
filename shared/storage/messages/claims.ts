import type { MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import { updateOnce } from '../client/claim-mark.ts';
import { all } from '../client/conditions.ts';
import type { Condition } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { keptState, markLate } from './late-changes.ts';
import { messageRows } from './message-rows.ts';

interface Claim {
  readonly set: Readonly<Record<string, unknown>>;
  /** The counter of such claims, besides the fence. */
  readonly counts: 'attempts' | 'inquiries';
  /** Which message may be claimed, besides that its hold is open, its deadline over, and its fence not raised since it was read. */
  readonly when: Condition;
}

/** Claims a message for one worker, under a new fence and with a mark; undefined where another has it. */
export const claimMessage = async (
  table: Table,
  message: MessageRecord,
  now: number,
  { set, counts, when }: Claim,
): Promise<MessageRecord | undefined> => {
  await markLate(table, [message], now);
  const row = await updateOnce(table, {
    update: KEYS.message(message.id),
    set,
    setOnce: keptState(message, now),
    add: { fence: 1, [counts]: 1 },
    when: all(when, {
      text: '#hold = :open AND #fence = :fence AND #deadline <= :now',
      values: { open: 'open', fence: message.fence, now },
    }),
  });
  return row && messageRows.read(row);
};

import { randomBytes } from 'node:crypto';
import type { MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import { all } from '../client/conditions.ts';
import type { Condition } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { keptState, markLate } from './late-changes.ts';
import { messageRows } from './message-rows.ts';

/** Random bytes of a claim's mark. It only has to differ from the marks of the same message's other claims within a call's repeats. */
const MARK_BYTES = 6;

interface Claim {
  readonly set: Readonly<Record<string, unknown>>;
  /** The counter of such claims, besides the fence. */
  readonly counts: 'attempts' | 'inquiries';
  /** Which message may be claimed, besides that its hold is open, its deadline over, and its fence not raised since it was read. */
  readonly when: Condition;
}

/**
 * Claims a message for one worker, under a new fence; undefined where another has it. The claim carries a random mark: if the write's answer
 * is lost, its repeat fails its own condition, and knows by the mark that the claim is its own. Fence, time and provider do not prove that,
 * since another worker may claim within the same millisecond.
 */
export const claimMessage = async (
  table: Table,
  message: MessageRecord,
  now: number,
  { set, counts, when }: Claim,
): Promise<MessageRecord | undefined> => {
  await markLate(table, [message], now);
  const claim = randomBytes(MARK_BYTES).toString('base64url');
  const { ok, row } = await table.write({
    update: KEYS.message(message.id),
    set: { ...set, claim },
    setOnce: keptState(message, now),
    add: { fence: 1, [counts]: 1 },
    when: all(when, {
      text: '#hold = :open AND #fence = :fence AND #deadline <= :now',
      values: { open: 'open', fence: message.fence, now },
    }),
  });
  return row && (ok || row.claim === claim) ? messageRows.read(row) : undefined;
};

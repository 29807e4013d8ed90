import * as z from 'zod';
import type { EngagementEvent } from '../domain/messages/provider.ts';
import type { Engagement } from '../domain/messages/timeline.ts';
import { isoTime } from '../domain/time.ts';
import { KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import type { Table } from './table.ts';

/**
 * Counts an open or a click of a message (at ms), as a part of the transaction that raises its event, whose condition makes a repeat
 * count nothing. One row a message, of four fields, that no send writes.
 */
export const engagedWrite = (messageId: string, what: EngagementEvent['what'], at: number): WriteOp => ({
  update: KEYS.engagement(messageId),
  setOnce: { [what === 'opened' ? 'firstOpenedAt' : 'firstClickedAt']: isoTime(at) },
  add: { [what]: 1 },
});

const count = z.int().default(0);
const moment = z.iso
  .datetime()
  .transform((text) => Date.parse(text))
  .optional();
const engagementRow = z.object({ firstOpenedAt: moment, opened: count, firstClickedAt: moment, clicked: count });

/** What was heard of a message's opens and clicks; undefined where nothing was. One read, which may lag. */
export const readEngagement = async (table: Table, messageId: string): Promise<Engagement | undefined> => {
  const row = await table.get(KEYS.engagement(messageId), { eventual: true });
  return row && engagementRow.parse(row);
};

import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import type { EngagementEvent } from '../../domain/message/provider-port.ts';
import type { Engagement } from '../../domain/tracking/timeline.ts';
import { KEYS } from '../access-patterns.ts';
import { time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';

/** Opens and clicks of messages: one row per message, which no send writes. */
const engagementRows = defineRow<Engagement>()({
  attributes: {
    firstOpenedAt: time.optional(),
    opened: z.int().default(0),
    firstClickedAt: time.optional(),
    clicked: z.int().default(0),
  },
  key: (_, messageId: Id<'message'>) => KEYS.engagement(messageId),
});

/** Counts an open or a click of a message (at ms) in the transaction that writes its event; the event's condition makes a repeat count nothing. */
export const engagedWrite = (messageId: Id<'message'>, what: EngagementEvent['what'], at: number): WriteOp => ({
  update: KEYS.engagement(messageId),
  setOnce: engagementRows.set(what === 'opened' ? { firstOpenedAt: at } : { firstClickedAt: at }),
  add: { [what]: 1 },
});

/** The opens and clicks of a message; undefined when there are none. One eventually consistent read. */
export const readEngagement = async (table: Table, messageId: Id<'message'>): Promise<Engagement | undefined> => {
  const row = await table.get(KEYS.engagement(messageId), { eventual: true });
  return row && engagementRows.read(row);
};

import * as z from 'zod';
import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { countedOf } from '../../domain/message/automation-counts.ts';
import type { EngagementEvent } from '../../domain/message/provider-port.ts';
import { type RunSignal, runSignal } from '../../domain/message/run-signal.ts';
import type { Engaged } from '../../domain/tracking/events.ts';
import type { Engagement } from '../../domain/tracking/timeline.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { messageCountWrites } from '../automation/counters.ts';
import { signalWorkItems, signalWrites } from '../automation/run-signals.ts';
import { time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { eventWorkItem, eventWrite } from '../due-work/outbox.ts';

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

/** The outcome of a first open or click for the waiting run, and the counter of its step or campaign. An opened e-mail was read. */
const FIRST = {
  opened: { at: 'firstOpenedAt', happening: 'lida', counts: { read: 1 } },
  clicked: { at: 'firstClickedAt', happening: 'clicada', counts: { clicked: 1 } },
} as const;

/** The writes of an open or a click, and the signal for the message's run. */
interface Engaging {
  readonly writes: readonly WriteOp[];
  readonly signal?: RunSignal | undefined;
}

/**
 * The writes of an open or a click of a message. The first one of a message that a journey or a campaign sent is counted and signalled, on
 * condition that it is still the first; such a message costs one read.
 */
export const engagementWrites = async (table: Table, { message, what, at }: Engaged): Promise<Engaging> => {
  const write = engagedWrite(message.id, what, at);
  if (!countedOf(message)) return { writes: [write] };
  const first = FIRST[what];
  const row = await table.get(KEYS.engagement(message.id));
  if (row?.[first.at] !== undefined) return { writes: [write] };
  // Tapping a notification opens it, and counts as its click.
  const isTap = message.channel === 'push' && what === 'opened';
  const signal = runSignal(message, isTap ? 'clicada' : first.happening, at);
  return {
    writes: [
      { ...write, when: { text: `attribute_not_exists(#${first.at})` } },
      ...messageCountWrites([[message, isTap ? { read: 1, clicked: 1 } : first.counts]]),
      ...signalWrites(signal),
    ],
    signal,
  };
};

/** Attempts on conflicts with other opens or clicks that became the first one meanwhile. */
const MAX_ATTEMPTS = 5;

/**
 * Stores the event of an open or a click and counts it, once: false if the event exists already. `raised` gets what can be published early.
 * Throws Unavailable if every attempt conflicted.
 */
export const keepEngagement = async (
  table: Table,
  event: DomainEvent,
  engaged: Engaged,
  raised: (workItems: readonly Publishable[]) => void,
): Promise<boolean> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { writes, signal } = await engagementWrites(table, engaged);
    const outcome = await table.transact([{ ...eventWrite(event), when: ABSENT }, ...writes]);
    if (outcome.ok) raised([eventWorkItem(event), ...signalWorkItems(signal)]);
    if (outcome.ok || outcome.reasons[0]?.conditionFailed) return outcome.ok;
  }
  throw new Unavailable('The message is opened and clicked too fast to be counted.');
};

/** The opens and clicks of a message; undefined when there are none. One eventually consistent read. */
export const readEngagement = async (table: Table, messageId: Id<'message'>): Promise<Engagement | undefined> => {
  const row = await table.get(KEYS.engagement(messageId), { eventual: true });
  return row && engagementRows.read(row);
};

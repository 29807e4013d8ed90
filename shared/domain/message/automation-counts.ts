import type { Id } from '../core/ids.ts';
import { isFailed, type MessageRecord, type MessageStatus } from './message.ts';

/**
 * Counters of the messages of a journey's step or a campaign, each message once (docs/spec/sends.md#counts): accepted;
 * ended unsent, and of these replaced or cancelled; sent; each later state; and the coins held and captured. Accepted
 * messages that are neither sent nor unsent are still in flight. A cancelled one has failed as well.
 */
export const MESSAGE_COUNTS = [
  'accepted',
  'unsent',
  'replaced',
  'cancelled',
  'sent',
  'delivered',
  'read',
  'clicked',
  'failed',
  'coinsHeld',
  'coinsCaptured',
] as const;
export type MessageCounts = Readonly<Partial<Record<(typeof MESSAGE_COUNTS)[number], number>>>;

/** The owner of a message's counters. `stepId` is empty for counters of a journey as a whole. */
export type Counted =
  | { readonly journeyId: Id<'journey'>; readonly stepId: string }
  | { readonly campaignId: Id<'campaign'> };

/** The owner of a message's counters; undefined if neither a journey nor a campaign sent it. */
export const countedOf = ({ journey, campaign }: Pick<MessageRecord, 'journey' | 'campaign'>): Counted | undefined => {
  if (journey) return { journeyId: journey.journeyId, stepId: journey.stepId };
  return campaign && { campaignId: campaign };
};

type Priced = Pick<MessageRecord, 'coins'>;

/** Counts of an accepted message. */
export const countsOfAcceptance = ({ coins }: Priced): MessageCounts => ({ accepted: 1, coinsHeld: coins });

/** Counts of a message that its provider accepted; `captured` coins of its price are kept. */
export const countsOfSettlement = ({ coins }: Priced, captured: number = coins): MessageCounts => ({
  sent: 1,
  coinsHeld: -coins,
  coinsCaptured: captured,
});

const CANCELLED = 'cancelled';

/**
 * Counts of a released hold. `withChunk`: its batch was rejected as a whole, as if the message had never been accepted.
 */
export const countsOfRelease = (
  { coins }: Priced,
  { reason, withChunk }: { readonly reason?: string; readonly withChunk?: boolean } = {},
): MessageCounts =>
  withChunk
    ? { accepted: -1, coinsHeld: -coins }
    : { unsent: 1, cancelled: Number(reason === CANCELLED), failed: 1, coinsHeld: -coins };

/** Counts of a message that was replaced before it was sent. */
export const countsOfWithdrawal = ({ coins }: Priced): MessageCounts => ({
  unsent: 1,
  replaced: 1,
  coinsHeld: -coins,
});

const DELIVERED: ReadonlySet<MessageStatus> = new Set(['delivered', 'read', 'complained']);
/** 1 if a condition becomes true, -1 if it becomes false, else 0. */
const turn = (before: boolean, after: boolean): number => Number(after) - Number(before);

/**
 * Counts of a receipt that changes a resolved message's status, or of a refund. A status that implies others counts
 * them, too: a read message was delivered. A later receipt can undo counts: a delivered e-mail that bounces, a failed
 * message that is read.
 */
export const countsOfAdvance = (
  { status: before, hold, reason }: Pick<MessageRecord, 'status' | 'hold' | 'reason'>,
  after: MessageStatus = before,
  refund = 0,
): MessageCounts => {
  const delivered = turn(DELIVERED.has(before), DELIVERED.has(after));
  // It was given up as unsent, but its provider had accepted it.
  const late = hold === 'released' && delivered > 0 ? 1 : 0;
  return {
    sent: late,
    unsent: -late,
    cancelled: reason === CANCELLED ? -late : 0,
    delivered,
    read: Number(after === 'read' && before !== 'read'),
    failed: turn(isFailed({ status: before }), isFailed({ status: after })),
    coinsCaptured: -refund,
  };
};

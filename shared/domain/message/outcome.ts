import type { Channel } from './channel.ts';
import { isDelivered, isFailed, type MessageRecord } from './message.ts';

const HOUR_MS = 3_600_000;

/** The fields of a message that the metrics count by. */
export const OUTCOME_FIELDS = [
  'channel',
  'status',
  'reason',
  'hold',
  'coins',
  'capturedCoins',
  'refunded',
  'createdAt',
  'sentAt',
  'readAt',
  'failedAt',
] as const satisfies readonly (keyof MessageRecord)[];
export type CountedMessage = Pick<MessageRecord, (typeof OUTCOME_FIELDS)[number]>;

/** The counts of the metrics, besides those of failures by reason (docs/spec/metrics.md#what-is-counted). */
export const OUTCOME_COUNTS = ['sent', 'unsent', 'delivered', 'read', 'coins'] as const;
export type OutcomeCounts = Readonly<Record<(typeof OUTCOME_COUNTS)[number], number>>;

/** The contribution of one message to the metrics of its channel, in the hour in which it was sent or failed without being sent. */
export interface Outcome {
  readonly channel: Channel;
  /** The start of that hour, UTC, in ms. */
  readonly hour: number;
  readonly counts: OutcomeCounts;
  /** Why it failed; absent where it did not. */
  readonly failure?: string;
}

/** The start of the hour (UTC, ms) that a moment is in. */
export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;

/** A failure's name: the channel's reason, or `other` where there is none. */
const REASON = /^[a-z][a-z0-9_]{0,39}$/;
const failureOf = ({ reason }: CountedMessage): string => (reason && REASON.test(reason) ? reason : 'other');

/**
 * The contribution of a message in its present state; undefined while it is in flight, and for one that was cancelled, or replaced before it was sent.
 * A push counts as delivered once its service accepts it: no receipt follows.
 */
export const outcomeOf = (message: CountedMessage): Outcome | undefined => {
  const { channel, hold, sentAt, failedAt, createdAt, coins, capturedCoins = coins, refunded = 0 } = message;
  const isCaptured = hold === 'captured';
  const delivered = isDelivered(message) || (channel === 'push' && isCaptured);
  const sent = isCaptured || delivered;
  const failed = hold !== 'open' && isFailed(message) && message.reason !== 'cancelled';
  if (!sent && !failed) return undefined;
  return {
    channel,
    hour: hourOf(sentAt ?? failedAt ?? createdAt),
    counts: {
      sent: Number(sent),
      unsent: Number(!sent),
      delivered: Number(delivered),
      read: Number(message.readAt !== undefined),
      coins: isCaptured ? capturedCoins - refunded : 0,
    },
    ...(failed ? { failure: failureOf(message) } : {}),
  };
};

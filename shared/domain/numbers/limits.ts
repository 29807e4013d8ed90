import type { MessagingTier, RateLimit, Throughput, WhatsappNumber } from './number.ts';

/** Messages that the platform takes of a number in a second (WhatsApp Cloud API, throughput). */
const PER_SECOND: Readonly<Record<Throughput, number>> = { standard: 80, high: 1_000 };
/** What a tier allows in 24 hours; without a limit, what the highest throughput comes to in a day. */
const PER_DAY: Readonly<Record<MessagingTier, number>> = {
  tier_250: 250,
  tier_1k: 1_000,
  tier_2k: 2_000,
  tier_10k: 10_000,
  tier_100k: 100_000,
  unlimited: PER_SECOND.high * 86_400,
};

/** The most that the platform allows a number. */
export const ceilingOf = ({ throughput, messagingTier }: Pick<WhatsappNumber, 'throughput' | 'messagingTier'>) =>
  ({ perSecond: PER_SECOND[throughput], perDay: PER_DAY[messagingTier] }) satisfies RateLimit;

/** The rate that is in force: its owner's own, and never more than the platform allows now. */
export const rateLimitOf = (number: Pick<WhatsappNumber, 'throughput' | 'messagingTier' | 'ownLimit'>): RateLimit => {
  const { perSecond, perDay } = ceilingOf(number);
  const { ownLimit } = number;
  return {
    perSecond: Math.min(ownLimit?.perSecond ?? perSecond, perSecond),
    perDay: Math.min(ownLimit?.perDay ?? perDay, perDay),
  };
};

/** The platform's word for a tier (phone_number_quality_update, messaging_limit_tier); undefined for a word that is none. */
const TIER_OF: Readonly<Record<string, MessagingTier>> = {
  TIER_NOT_SET: 'tier_250',
  TIER_50: 'tier_250',
  TIER_250: 'tier_250',
  TIER_1K: 'tier_1k',
  TIER_2K: 'tier_2k',
  TIER_10K: 'tier_10k',
  TIER_100K: 'tier_100k',
  TIER_UNLIMITED: 'unlimited',
};
export const tierOf = (word: string): MessagingTier | undefined =>
  Object.hasOwn(TIER_OF, word) ? TIER_OF[word] : undefined;

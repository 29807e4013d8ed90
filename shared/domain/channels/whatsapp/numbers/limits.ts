import type { MessagingTier, RateLimit, Throughput, WhatsappNumber } from './number.ts';

/** Messages per second that Meta accepts from a number (WhatsApp Cloud API, throughput). */
const PER_SECOND: Readonly<Record<Throughput, number>> = { standard: 80, high: 1_000 };
/** Messages per 24 hours by tier; unlimited is a day at the highest throughput. */
const PER_DAY: Readonly<Record<MessagingTier, number>> = {
  tier_250: 250,
  tier_1k: 1_000,
  tier_2k: 2_000,
  tier_10k: 10_000,
  tier_100k: 100_000,
  unlimited: PER_SECOND.high * 86_400,
};

/** The rate that Meta allows a number. */
export const metaLimitOf = ({ throughput, messagingTier }: Pick<WhatsappNumber, 'throughput' | 'messagingTier'>) =>
  ({ perSecond: PER_SECOND[throughput], perDay: PER_DAY[messagingTier] }) satisfies RateLimit;

/** The effective rate: the owner's own limit, capped by what Meta allows now (docs/spec/whatsapp-numbers.md#rate). */
export const rateLimitOf = (number: Pick<WhatsappNumber, 'throughput' | 'messagingTier' | 'ownLimit'>): RateLimit => {
  const { perSecond, perDay } = metaLimitOf(number);
  const { ownLimit } = number;
  return {
    perSecond: Math.min(ownLimit?.perSecond ?? perSecond, perSecond),
    perDay: Math.min(ownLimit?.perDay ?? perDay, perDay),
  };
};

/** Tier by Meta's name (phone_number_quality_update, messaging_limit_tier). */
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
export const tierOf = (metaTier: string): MessagingTier | undefined =>
  Object.hasOwn(TIER_OF, metaTier) ? TIER_OF[metaTier] : undefined;

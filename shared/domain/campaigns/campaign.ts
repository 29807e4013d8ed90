import type { FrequencyCap } from '../contacts/frequency.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { Channel } from '../message/channel.ts';
import type { SendRequest } from '../message/send-request.ts';

/**
 * A campaign's message as written: the body of /v1/messages without recipient and schedule. Its texts may contain placeholders of the
 * contact.
 */
export interface CampaignMessage {
  readonly channel: Channel;
  readonly text?: string | undefined;
  readonly template?: string | undefined;
  readonly variables?: SendRequest['variables'];
  readonly fallback?: readonly (Channel | CampaignFallback)[] | undefined;
  /** A whole number with its unit. */
  readonly fallback_after?: string | undefined;
  readonly maxCoins?: number | undefined;
  readonly metadata?: SendRequest['metadata'];
}
interface CampaignFallback extends Pick<CampaignMessage, 'channel' | 'maxCoins' | 'template' | 'text' | 'variables'> {
  readonly after?: string | undefined;
}

/** One of a campaign's messages, with its weight. */
export interface Variant {
  readonly name: string;
  readonly weight: number;
  readonly message: CampaignMessage;
}

/** The audience: contacts of any listed list, segment or id, without those of the excluded lists and segments. */
export interface Audience {
  readonly listIds?: readonly Id<'list'>[] | undefined;
  readonly segmentIds?: readonly Id<'segment'>[] | undefined;
  readonly contactIds?: readonly Id<'contact'>[] | undefined;
  readonly excludeListIds?: readonly Id<'list'>[] | undefined;
  readonly excludeSegmentIds?: readonly Id<'segment'>[] | undefined;
}

/** docs/spec/campaigns.md#states. */
export const CAMPAIGN_STATUSES = ['draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled'] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** Why a campaign is paused (docs/spec/campaigns.md#pausing). */
export const PAUSE_REASONS = [
  'operator',
  'insufficient_funds',
  'max_coins',
  'audience_unavailable',
  'template_unavailable',
  'sender_unavailable',
  'provider_unavailable',
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];
export interface PausedBy {
  readonly reason: PauseReason;
  /** ms. */
  readonly at: number;
}

/** The fields of a campaign that callers set. */
export interface CampaignInput {
  readonly name: string;
  readonly message?: CampaignMessage | undefined;
  readonly variants?: readonly Variant[] | undefined;
  readonly audience: Audience;
  /** ms. */
  readonly scheduledAt?: number | undefined;
  readonly perMinute?: number | undefined;
  readonly maxCoins?: number | undefined;
  readonly campaignTag?: string | undefined;
  readonly frequencyCap?: FrequencyCap | undefined;
}

/** The progress of a campaign's driver. */
export interface Drive {
  /** The common name of its snapshot's chunk rows. */
  readonly snapshot: string;
  readonly chunks: readonly number[];
  /** Recipients of the snapshot. */
  readonly total: number;
  /** Portions created so far, and the number of the last contact in them. */
  readonly portions: number;
  readonly portionedTo: number;
  readonly portioned: boolean;
  /** Recipients paced since `pacedFrom`: those of new portions, and the open ones of older portions; determines due times. */
  readonly paced: number;
  /** The start of pacing (ms). */
  readonly pacedFrom: number;
  /**
   * Incremented by each resumption and by the cancellation; every portion is then moved to it, one after the other. The first
   * `portionsInEpoch` are.
   */
  readonly epoch: number;
  readonly portionsInEpoch: number;
  /** The number of sent messages when it last changed, and that time (ms). */
  readonly lastSent: number;
  readonly lastSentAt: number;
  /** The sum of its counters when it last changed, and that time (ms). */
  readonly counterSum: number;
  readonly counterSumAt: number;
  /** When its counters are next read (ms); 0 before the first time. */
  readonly nextCheckAt: number;
}

/** A stored campaign (docs/spec/campaigns.md#shape). Times in ms. */
export interface Campaign extends Tenant, CampaignInput {
  readonly id: Id<'campaign'>;
  readonly status: CampaignStatus;
  readonly pausedBy?: PausedBy | undefined;
  readonly startedAt?: number | undefined;
  readonly completedAt?: number | undefined;
  readonly cancelledAt?: number | undefined;
  /** Set from its start on. */
  readonly drive?: Drive | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Optimistic lock: every change is conditional on the version that was read. */
  readonly version: number;
}

/** Maximum number of recipients in a portion: one worker accepts them, in a few transactions. */
export const PORTION_SIZE = 500;

/** A part of a campaign's recipients, processed by one worker at a time. Numbers are contact numbers. */
export interface Portion {
  readonly campaignId: Id<'campaign'>;
  readonly organizationId: Id<'organization'>;
  /** From 0. */
  readonly portion: number;
  readonly epoch: number;
  readonly numbers: readonly number[];
  /** Recipients with a message. */
  readonly sent: readonly (readonly [number: number, messageId: Id<'message'>])[];
  /** Recipients that get none, and why. */
  readonly skipped: readonly (readonly [number: number, reason: string])[];
  readonly state: PortionState;
  /** When it is due (ms): by the pace, or when its deferred recipients are retried. */
  readonly dueAt: number;
  /** Until when deferred recipients are retried (ms); absent until it was first processed. */
  readonly triedUntil?: number | undefined;
  /** Coins of the campaign's `maxCoins` that it reserved and has not used. */
  readonly allotted: number;
  /** Incremented by each claim: a worker's writes are conditional on its own. */
  readonly fence: number;
  /** When the present claim ends (ms). */
  readonly claimedUntil: number;
}
export type PortionState = 'open' | 'done';

/** The recipients of a portion with neither message nor skip. */
export const openNumbers = ({ numbers, sent, skipped }: Portion): number[] => {
  const settled = new Set([...sent, ...skipped].map(([number]) => number));
  return numbers.filter((number) => !settled.has(number));
};

/** How long recipients that a cap, a rate or an undecided batch holds back are retried, in ms from when their portion started. */
export const DEFER_MS = 72 * 3600_000;

/** The messages of a campaign with their names and weights; a campaign without variants has one without a name. */
export const variantsOf = ({
  message,
  variants,
}: Pick<CampaignInput, 'message' | 'variants'>): readonly (Omit<Variant, 'name'> & { readonly name?: string })[] =>
  variants ?? (message ? [{ weight: 1, message }] : []);

/** The tag on its messages. */
export const tagOf = ({ id, campaignTag }: Pick<Campaign, 'id' | 'campaignTag'>): string => campaignTag ?? id;

/** A number's hash in a campaign (murmur3's finalizer): evenly distributed, and the same in every process. */
const mixed = (seed: number, number: number): number => {
  let hash = Math.imul(number ^ seed, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash >>> 0;
};

/** A campaign's seed: each campaign divides the same contacts differently. */
const seedOf = (id: Id<'campaign'>): number => {
  let seed = 0x811c9dc5;
  for (const character of id) seed = Math.imul(seed ^ character.charCodeAt(0), 0x01000193);
  return seed >>> 0;
};

/** The variant of a contact, by its number: distributed by weight, and always the same (docs/spec/campaigns.md#variants). */
export const variantChooser = (
  campaign: Pick<Campaign, 'id' | 'message' | 'variants'>,
): ((number: number) => number) => {
  const weights = variantsOf(campaign).map(({ weight }) => weight);
  if (weights.length < 2) return () => 0;
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const seed = seedOf(campaign.id);
  return (number) => {
    let place = (mixed(seed, number) / 2 ** 32) * sum;
    const at = weights.findIndex((weight) => {
      place -= weight;
      return place < 0;
    });
    return at < 0 ? weights.length - 1 : at;
  };
};

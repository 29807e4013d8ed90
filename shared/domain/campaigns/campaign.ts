import type { FrequencyCap } from '../contacts/frequency.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { Channel } from '../message/channel.ts';
import type { SendRequest } from '../message/send-request.ts';

/** What a campaign sends, as it is written: the body of /v1/messages without whom it goes to and when. Its texts may hold placeholders of the contact. */
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

/** One of the messages that a campaign is divided into, by weight. */
export interface Variant {
  readonly name: string;
  readonly weight: number;
  readonly message: CampaignMessage;
}

/** Who is written to: those of any list, segment or contact, without those of the excluded lists and segments. */
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

/** Why a campaign stands still (docs/spec/campaigns.md#pausing). */
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

/** What a caller says of a campaign. */
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

/** What its driver has to do before a campaign's portions go on by themselves. */
export interface Drive {
  /** The chunk rows of its snapshot, by their common name. */
  readonly snapshot: string;
  readonly chunks: readonly number[];
  /** Recipients of the snapshot. */
  readonly total: number;
  /** Portions made so far, and the number of the last contact in them. */
  readonly portions: number;
  readonly portionedTo: number;
  readonly portioned: boolean;
  /** Recipients in the portions made so far: paces them. */
  readonly paced: number;
  /** Since when the portions are paced (ms). */
  readonly pacedFrom: number;
  /** Raised by each resumption and by the cancellation; all portions are told of it one after the other, `told` of them so far. */
  readonly epoch: number;
  readonly told: number;
  /** What was sent when that last changed, and when that was (ms). */
  readonly lastSent: number;
  readonly lastSentAt: number;
  /** What its counts were together when they last changed, and when that was (ms). */
  readonly moves: number;
  readonly movedAt: number;
  /** When its counts are read again (ms); 0 before they were. */
  readonly lookAt: number;
}

/** A stored campaign (docs/spec/campaigns.md#shape). Times in ms. */
export interface Campaign extends Tenant, CampaignInput {
  readonly id: Id<'campaign'>;
  readonly status: CampaignStatus;
  readonly pausedBy?: PausedBy | undefined;
  readonly startedAt?: number | undefined;
  readonly completedAt?: number | undefined;
  readonly cancelledAt?: number | undefined;
  /** From its start on. */
  readonly drive?: Drive | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Optimistic lock: every change is conditional on the version that it was based on. */
  readonly version: number;
}

/** Most recipients of a portion: they are accepted by one worker, in some transactions. */
export const PORTION_SIZE = 500;

/** A part of a campaign's recipients, whom one worker at a time sends to. Numbers are those of contacts. */
export interface Portion {
  readonly campaignId: Id<'campaign'>;
  readonly organizationId: Id<'organization'>;
  /** From 0. */
  readonly portion: number;
  readonly epoch: number;
  readonly numbers: readonly number[];
  /** Those who have a message. */
  readonly sent: readonly (readonly [number: number, messageId: Id<'message'>])[];
  /** Those who get none, and why. */
  readonly skipped: readonly (readonly [number: number, reason: string])[];
  readonly state: PortionState;
  /** When it is due (ms), by the pace; when those whom it deferred are tried again. */
  readonly dueAt: number;
  /** Until when deferred recipients are tried again (ms); absent until it was first begun. */
  readonly triedUntil?: number | undefined;
  /** Coins that it took of the campaign's `maxCoins` and has not used. */
  readonly allotted: number;
  /** Counts the claims: what a worker writes is conditional on its own. */
  readonly fence: number;
  /** Until when a worker has it (ms). */
  readonly claimedUntil: number;
}
export type PortionState = 'open' | 'done';

/** The recipients of a portion that have neither message nor skip. */
export const openNumbers = ({ numbers, sent, skipped }: Portion): number[] => {
  const settled = new Set([...sent, ...skipped].map(([number]) => number));
  return numbers.filter((number) => !settled.has(number));
};

/** How long those whom a cap, a rate or an undecided batch holds back are tried again, in ms from when their portion began. */
export const DEFER_MS = 72 * 3600_000;

/** The messages of a campaign with their names and weights; one without variants has one, without a name. */
export const variantsOf = ({
  message,
  variants,
}: Pick<CampaignInput, 'message' | 'variants'>): readonly (Omit<Variant, 'name'> & { readonly name?: string })[] =>
  variants ?? (message ? [{ weight: 1, message }] : []);

/** What its messages are labelled with. */
export const tagOf = ({ id, campaignTag }: Pick<Campaign, 'id' | 'campaignTag'>): string => campaignTag ?? id;

/** A number's hash in a campaign (murmur3's finalizer): spread evenly, and the same in every process. */
const mixed = (seed: number, number: number): number => {
  let hash = Math.imul(number ^ seed, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash >>> 0;
};

/** A campaign's seed: other campaigns divide the same contacts otherwise. */
const seedOf = (id: Id<'campaign'>): number => {
  let seed = 0x811c9dc5;
  for (const character of id) seed = Math.imul(seed ^ character.charCodeAt(0), 0x01000193);
  return seed >>> 0;
};

/** Which variant a contact gets, by its number: by the weights, and always the same one (docs/spec/campaigns.md#variants). */
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

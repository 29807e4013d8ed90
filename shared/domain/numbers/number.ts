import type { Environment } from '../actor.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Id } from '../ids.ts';
import type { Clock } from '../time.ts';
import type { NumberPlatform } from './platform.ts';

/** interface 2.14. */
export const NUMBER_STATUSES = ['available', 'connected', 'disconnected', 'flagged', 'pending'] as const;
export type NumberStatus = (typeof NUMBER_STATUSES)[number];
export const QUALITY_RATINGS = ['green', 'yellow', 'red', 'unknown'] as const;
export type QualityRating = (typeof QUALITY_RATINGS)[number];
export const NAME_STATUSES = ['approved', 'pending', 'rejected', 'expired', 'none'] as const;
export type NameStatus = (typeof NAME_STATUSES)[number];
export const REMOVAL_REASONS = ['PARTNER_REMOVED', 'PARTNER_APP_UNINSTALLED'] as const;
export type RemovalReason = (typeof REMOVAL_REASONS)[number];

/** How many people a number may begin a conversation with in 24 hours, by its tier (interface 2.14). */
export const TIERS = ['tier_250', 'tier_1k', 'tier_2k', 'tier_10k', 'tier_100k', 'unlimited'] as const;
export type MessagingTier = (typeof TIERS)[number];
/** How fast the platform takes a number's messages (WhatsApp Cloud API, throughput). */
export const THROUGHPUTS = ['standard', 'high'] as const;
export type Throughput = (typeof THROUGHPUTS)[number];

/** What the recipients see of a number. */
export interface NumberProfile {
  readonly about?: string | undefined;
  readonly address?: string | undefined;
  readonly email?: string | undefined;
  readonly website?: string | undefined;
  readonly vertical?: string | undefined;
  readonly profilePictureUrl?: string | undefined;
}

/** Messages at most; both are averages, and each is also what may leave at once. */
export interface RateLimit {
  readonly perSecond: number;
  readonly perDay: number;
}

/** What the platform said last of one side of a number: the moment (ms, the platform's clock) and its word for it. */
export interface Heard {
  readonly at: number;
  readonly event: string;
}
/** The sides of a number that the platform reports on by itself. Each is the word of its own latest report. */
export type Side = 'account' | 'name' | 'partner' | 'quality' | 'throughput' | 'tier';

/** A WhatsApp number of an organization (interface 2.14). Times are ms. The access token is kept apart. */
export interface WhatsappNumber {
  readonly id: Id<'number'>;
  readonly organizationId: Id<'organization'>;
  readonly phoneNumberId: string;
  readonly wabaId: string;
  /** E.164. */
  readonly displayPhone: string;
  readonly status: NumberStatus;
  readonly qualityRating: QualityRating;
  readonly messagingTier: MessagingTier;
  readonly throughput: Throughput;
  /** What its owner set below what the platform allows. */
  readonly ownLimit?: Partial<RateLimit> | undefined;
  readonly verifiedName?: string | undefined;
  readonly byo?: boolean | undefined;
  readonly nameStatus?: NameStatus | undefined;
  readonly partnerRemovedAt?: number | undefined;
  readonly partnerRemovedReason?: RemovalReason | undefined;
  readonly profile?: NumberProfile | undefined;
  readonly lastPlatformSyncAt?: number | undefined;
  readonly heard: Readonly<Partial<Record<Side, Heard>>>;
  /** Counts the changes: a change holds only over the version that it was made of. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What stood in the way of a number. */
export type NumberOutcome =
  | { readonly kind: 'saved' }
  /** The stage has this phoneNumberId already; `numberId` when it is the organization's own. */
  | { readonly kind: 'taken'; readonly numberId?: string }
  | { readonly kind: 'full' }
  | { readonly kind: 'moved' };

export interface NumberFilter {
  readonly status?: NumberStatus | undefined;
  readonly qualityRating?: QualityRating | undefined;
}

/** Where numbers are kept. Each change is one conditional transaction that carries its events; a repeat whose answer was lost has the same outcome. */
export interface NumberStore {
  /** Keeps a new number, its access token sealed beside it. */
  create(number: WhatsappNumber, accessToken: string): Promise<NumberOutcome>;
  /** Puts `after` in the place of `before`, and a new token where one is given. */
  change(
    before: WhatsappNumber,
    after: WhatsappNumber,
    also?: { readonly events?: readonly DomainEvent[]; readonly accessToken?: string | undefined },
  ): Promise<NumberOutcome>;
  /** False when it was changed meanwhile, or is gone. */
  remove(number: WhatsappNumber): Promise<boolean>;
  read(organizationId: string, id: string): Promise<WhatsappNumber | undefined>;
  /** The access token of a number that was just read; undefined when it is gone. */
  accessToken(number: Pick<WhatsappNumber, 'id' | 'organizationId'>): Promise<string | undefined>;
  /** The organization's numbers of a business account of the platform. */
  ofAccount(organizationId: string, wabaId: string): Promise<readonly WhatsappNumber[]>;
  /** Newest first. */
  page(
    organizationId: string,
    filter: NumberFilter,
    page: { readonly skip: number; readonly limit: number },
  ): Promise<{ readonly items: readonly WhatsappNumber[]; readonly total: number }>;
}

export interface NumberPorts {
  readonly clock: Clock;
  readonly numbers: NumberStore;
  /** The platform of an environment, reached with a number's access token; the name of the missing setting when it is not set up. */
  readonly platform: (env: Environment, accessToken: string) => Promise<NumberPlatform | { readonly missing: string }>;
}

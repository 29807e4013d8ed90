import type { AuditEntry } from '../../../audit/entry.ts';
import type { Id } from '../../../core/ids.ts';
import type { Patch } from '../../../core/patch.ts';
import type { DomainEvent } from '../../../events/event.ts';
import type { Page, PageRequest } from '../../../message/lists.ts';

/** Values of a number's fields (docs/spec/whatsapp-numbers.md#number-shape). */
export const NUMBER_STATUSES = ['available', 'connected', 'disconnected', 'flagged', 'pending'] as const;
export type NumberStatus = (typeof NUMBER_STATUSES)[number];
export const QUALITY_RATINGS = ['green', 'yellow', 'red', 'unknown'] as const;
export type QualityRating = (typeof QUALITY_RATINGS)[number];
export const NAME_STATUSES = ['approved', 'pending', 'rejected', 'expired', 'none'] as const;
export type NameStatus = (typeof NAME_STATUSES)[number];
export const REMOVAL_REASONS = ['PARTNER_REMOVED', 'PARTNER_APP_UNINSTALLED'] as const;
export type RemovalReason = (typeof REMOVAL_REASONS)[number];

/** Messaging tier: how many people a number may start a conversation with in 24 hours (docs/spec/whatsapp-numbers.md#number-shape). */
export const TIERS = ['tier_250', 'tier_1k', 'tier_2k', 'tier_10k', 'tier_100k', 'unlimited'] as const;
export type MessagingTier = (typeof TIERS)[number];
/** Throughput level (WhatsApp Cloud API, throughput). */
export const THROUGHPUTS = ['standard', 'high'] as const;
export type Throughput = (typeof THROUGHPUTS)[number];

/** The business profile that recipients see. */
export interface NumberProfile {
  readonly about?: string | undefined;
  readonly address?: string | undefined;
  readonly email?: string | undefined;
  readonly website?: string | undefined;
  readonly vertical?: string | undefined;
  readonly profilePictureUrl?: string | undefined;
}

/** Average rates; each is also the burst size. */
export interface RateLimit {
  readonly perSecond: number;
  readonly perDay: number;
}

/** Meta's last event on one aspect: its time (ms, Meta's clock) and name. */
export interface LastReport {
  readonly at: number;
  readonly event: string;
}
/** Aspects of a number that Meta sends events about; each keeps its own last event. */
export type NumberAspect = 'account' | 'name' | 'partner' | 'quality' | 'throughput' | 'tier';

/** A stored WhatsApp number (docs/spec/whatsapp-numbers.md#number-shape). Times in ms. The access token is stored separately. */
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
  /** Limits that the owner set below Meta's. */
  readonly ownLimit?: Partial<RateLimit> | undefined;
  readonly verifiedName?: string | undefined;
  readonly byo?: boolean | undefined;
  readonly nameStatus?: NameStatus | undefined;
  readonly partnerRemovedAt?: number | undefined;
  readonly partnerRemovedReason?: RemovalReason | undefined;
  readonly profile?: NumberProfile | undefined;
  readonly lastPlatformSyncAt?: number | undefined;
  readonly heard: Readonly<Partial<Record<NumberAspect, LastReport>>>;
  /** Optimistic lock: every change is conditional on the version that was read. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Result of storing a number. */
export type NumberOutcome =
  | { readonly kind: 'saved' }
  /** Another row has this phoneNumberId; `numberId` only if it belongs to the same organization. */
  | { readonly kind: 'taken'; readonly numberId?: Id<'number'> }
  | { readonly kind: 'limit_reached' }
  | { readonly kind: 'conflict' };

export type NumberFilter = Patch<Pick<WhatsappNumber, 'status' | 'qualityRating'>>;

/**
 * Stores numbers. Each change commits in one conditional transaction with its events; retrying after a lost response gives the same
 * outcome.
 */
export interface NumberStore {
  /** Stores a new number and its sealed access token. */
  create(number: WhatsappNumber, accessToken: string, entry: AuditEntry): Promise<NumberOutcome>;
  /** Replaces `before` by `after`, and the token if a new one is given; with an audit entry, unless Meta reported the change. */
  change(
    before: WhatsappNumber,
    after: WhatsappNumber,
    also?: {
      readonly events?: readonly DomainEvent[];
      readonly accessToken?: string | undefined;
      readonly entry?: AuditEntry;
    },
  ): Promise<NumberOutcome>;
  /** Returns false if it was concurrently changed or deleted. */
  remove(number: WhatsappNumber, entry: AuditEntry): Promise<boolean>;
  read(organizationId: Id<'organization'>, id: Id<'number'>): Promise<WhatsappNumber | undefined>;
  /** The access token of a number that was just read; undefined if it is gone. */
  accessToken(number: Pick<WhatsappNumber, 'id' | 'organizationId'>): Promise<string | undefined>;
  /** The organization's numbers of a business account. */
  ofAccount(organizationId: Id<'organization'>, wabaId: string): Promise<readonly WhatsappNumber[]>;
  /** Newest first. */
  page(organizationId: Id<'organization'>, filter: NumberFilter, page: PageRequest): Promise<Page<WhatsappNumber>>;
}

import type { Environment } from '../actor.ts';
import type { Id } from '../ids.ts';
import type { Coins } from '../money.ts';
import type { SmsProviderName, SmsProviderReceipt, SmsRoute } from '../sms/provider.ts';

/** One step of a message's story: what was decided, why, and what it cost (decisions, part 4: timeline). */
export interface Decision {
  /** ms. */
  readonly at: number;
  readonly kind: 'accepted' | 'route' | 'provider' | 'receipt' | 'resolution';
  /** In words, or as terms `name=value`; never a recipient or a text. */
  readonly detail: string;
  readonly coins?: number;
}

export type SmsStatus = 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'undelivered';
export type SmsReason =
  | 'invalid_number'
  | 'carrier_rejected'
  | 'blacklisted'
  | 'expired'
  | 'indeterminate'
  | 'abandoned';

/** The money of a message: held when it was accepted, then captured or released, once. */
export type HoldState = 'open' | 'captured' | 'released';

/** A message as it is stored (interface 2.10, with 2.1's fields for SMS). Times are ms. */
export interface MessageRecord {
  readonly id: Id<'message'>;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly channel: 'sms';
  readonly direction: 'outbound';
  readonly type: 'text';
  readonly priority: 'normal';
  readonly status: SmsStatus;
  readonly reason?: SmsReason | undefined;
  /** E.164. */
  readonly to: string;
  /** Blind index of `to`. */
  readonly toHash: string;
  readonly region: 'BR' | 'INTL';
  readonly route: Exclude<SmsRoute, 'la_dedicada'>;
  readonly provider: SmsProviderName;
  readonly senderId?: string | undefined;
  readonly encoding: 'GSM-7' | 'UCS-2';
  readonly length: number;
  readonly segments: number;
  readonly payload: { readonly text: string };
  readonly contactId?: Id<'contact'> | undefined;
  readonly campaignId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly coins: Coins;
  readonly hold: HoldState;
  /** Whoever raised it last may resolve the hold; a smaller one is refused. */
  readonly fence: number;
  /** Until when the sender of this fence may still resolve, in ms. */
  readonly deadline: number;
  /** True once the provider's answer was ambiguous: only an inquiry or a receipt may say that it was sent. */
  readonly uncertain?: boolean | undefined;
  /** How often the provider was asked about it. */
  readonly inquiries?: number | undefined;
  /** The caller's idempotency key, to release it with a refund. */
  readonly callerKey: string;
  readonly attempts: number;
  readonly lastError?: string | undefined;
  readonly providerMessageId?: string | undefined;
  readonly providerReceipt?: SmsProviderReceipt | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly sentAt?: number | undefined;
  readonly deliveredAt?: number | undefined;
  readonly failedAt?: number | undefined;
  readonly decisions: readonly Decision[];
}

/** How far each status is; a message never goes to a smaller or an equal one (interface, part 3; faults 16 and 19). */
const RANK: Readonly<Record<SmsStatus, number>> = {
  queued: 0,
  sending: 1,
  sent: 2,
  delivered: 3,
  undelivered: 3,
  failed: 3,
};

/** Whether `next` is an advance over `now`. */
export const advances = (now: SmsStatus, next: SmsStatus): boolean => RANK[next] > RANK[now];

import type { Environment } from '../actor.ts';
import type { Id } from '../ids.ts';
import type { Coins } from '../money.ts';
import type { RcsContent } from '../rcs/content.ts';
import type { SmsContent } from '../sms/provider.ts';
import { type Channel, type ProviderReceipt, REPORTED_STATUSES } from './provider.ts';

/** One step of a message's story: what was decided, why, and what it cost (decisions, part 4: timeline). */
export interface Decision {
  /** ms. */
  readonly at: number;
  readonly kind: 'accepted' | 'deferred' | 'route' | 'provider' | 'receipt' | 'resolution' | 'fallback' | 'operator';
  /** In words, or as terms `name=value`; never a recipient or a content. */
  readonly detail: string;
  readonly coins?: number;
}

/** Where a message may stand: the union of the channels' states (interface, part 3); `archived` is a mark beside it. */
export const MESSAGE_STATUSES = ['queued', 'sending', ...REPORTED_STATUSES] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const MESSAGE_TYPES = ['text', 'template', 'media', 'interactive'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];
export const PRIORITIES = ['normal', 'bulk', 'critical'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** The money of a message: held when it was accepted, then captured or released, once. */
export type HoldState = 'open' | 'captured' | 'released';

/** What is kept of an e-mail: its body is neither stored nor returned (interface 2.6). */
export interface KeptEmail {
  readonly from: string;
  readonly subject: string;
  /** UTF-8 bytes of the body as it left. */
  readonly bodyBytes: number;
}
/** What a platform's message says, in the form of its type (decisions, part 4: payload by type). */
export interface PlatformContent {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Our id of the number or account that it leaves from; the provider's own where there is none. */
  readonly from?: string | undefined;
}

/** What is kept of the content, by channel. */
export interface KeptContent {
  readonly sms: SmsContent;
  readonly rcs: RcsContent;
  readonly email: KeptEmail;
  readonly whatsapp: PlatformContent;
  readonly push: PlatformContent;
  readonly instagram: PlatformContent;
}

interface MessageBase {
  readonly id: Id<'message'>;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly direction: 'outbound';
  readonly type: MessageType;
  readonly priority: Priority;
  readonly status: MessageStatus;
  /** One of the channel's reasons, or how its hold was resolved: indeterminate, abandoned, cancelled. */
  readonly reason?: string | undefined;
  /** In the channel's own format: E.164, an e-mail address. */
  readonly to: string;
  /** Blind index of `to`. */
  readonly toHash: string;
  /** Where the number belongs; on channels that go by phone. */
  readonly region?: 'BR' | 'INTL' | undefined;
  readonly route: string;
  readonly provider: string;
  /** What carried it, once the provider told: RCS may have left as its fallback SMS. */
  readonly via?: 'rcs' | 'sms' | undefined;
  /** What the price counts: segments on SMS, else 1. */
  readonly units: number;
  readonly contactId?: Id<'contact'> | undefined;
  readonly campaignId?: string | undefined;
  /** Whose number or account it leaves from, on channels that have them. */
  readonly numberId?: string | undefined;
  readonly instagramAccountId?: string | undefined;
  readonly templateId?: string | undefined;
  /** The template's variables, in the order in which it numbers them. */
  readonly templateVars?: readonly string[] | undefined;
  readonly batchId?: string | undefined;
  /** The escrow that its money lies in until it is resolved: `<batchId>#<chunk>#<lane>`. Absent: it has a hold of its own in the wallet. */
  readonly escrow?: string | undefined;
  /** The operator, when it was sent from the dashboard. */
  readonly sentByAccountId?: Id<'account'> | undefined;
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly coins: Coins;
  /** The volume band of its first unit: units `from` to `upTo` of the month; `upTo` null in the last. */
  readonly band?: { readonly index: number; readonly from: number; readonly upTo: number | null } | undefined;
  /** What each of its fallbacks would have cost when it was accepted, in coins, in their order; absent without fallbacks. */
  readonly fallbackCoins?: readonly number[] | undefined;
  readonly hold: HoldState;
  /** Whoever raised it last may resolve the hold; a smaller one is refused. */
  readonly fence: number;
  /** Until when the sender of this fence may still resolve, in ms; of a queued message, when it is to leave. */
  readonly deadline: number;
  /** When a message that had been queued began to be handed to its provider, in ms; any other is as it is created. */
  readonly leavingAt?: number | undefined;
  /** True once the provider's answer was ambiguous: only an inquiry or a receipt may say that it was sent. */
  readonly uncertain?: boolean | undefined;
  /** How often the provider was asked about it. */
  readonly inquiries?: number | undefined;
  /** True when it bypasses rate bucket and quiet hours; only the force operation sets it (interface 2.10). */
  readonly force?: boolean | undefined;
  readonly scheduledAt?: number | undefined;
  /** The chain of fallbacks that it is a hop of: the id of the chain's first message. */
  readonly chainId?: Id<'message'> | undefined;
  /** Resend (interface, part 3): which message it replaces, and which one replaced it. */
  readonly replaces?: Id<'message'> | undefined;
  readonly replacedBy?: Id<'message'> | undefined;
  readonly archivedAt?: number | undefined;
  /** True while more is to leave than is kept of it: the rest lies sealed beside it until its hold is resolved. */
  readonly hasBody?: boolean | undefined;
  /** The caller's idempotency key, to release it with a refund. */
  readonly callerKey: string;
  readonly attempts: number;
  readonly lastError?: string | undefined;
  readonly originalError?: string | undefined;
  readonly providerMessageId?: string | undefined;
  readonly providerReceipt?: ProviderReceipt | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly sentAt?: number | undefined;
  readonly deliveredAt?: number | undefined;
  readonly readAt?: number | undefined;
  readonly failedAt?: number | undefined;
  readonly decisions: readonly Decision[];
}

/** What the unified message adds to a channel's own: what it leaves from, was made of, and belongs to. */
export type Labels = Pick<
  MessageBase,
  'numberId' | 'instagramAccountId' | 'templateId' | 'templateVars' | 'batchId' | 'sentByAccountId'
>;

/** A message of one channel as it is stored (interface 2.10). Times are ms. */
export type MessageOf<C extends Channel> = MessageBase & { readonly channel: C; readonly content: KeptContent[C] };
/** A message of any channel. */
export type MessageRecord = { [C in Channel]: MessageOf<C> }[Channel];

/** How far each status is; a message never goes to a smaller or an equal one (interface, part 3; faults 16 and 19). */
const RANK: Readonly<Record<MessageStatus, number>> = {
  queued: 0,
  sending: 1,
  sent: 2,
  delivered: 3,
  undelivered: 3,
  failed: 3,
  read: 4,
  // A server may take an e-mail and send it back later; and who complains has received.
  bounced: 4,
  complained: 5,
};

/** Whether `next` is an advance over `now`. */
export const advances = (now: MessageStatus, next: MessageStatus): boolean => RANK[next] > RANK[now];

/** Whether the message reached its recipient. */
export const reached = ({ status }: MessageRecord): boolean =>
  status === 'delivered' || status === 'read' || status === 'complained';

/** Whether it is certain that the message will not reach its recipient. */
export const missed = ({ status }: MessageRecord): boolean =>
  status === 'failed' || status === 'undelivered' || status === 'bounced';

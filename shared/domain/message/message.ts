import type { Tenant } from '../core/actor.ts';
import type { V1Code } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Coins } from '../core/money.ts';
import type { Priority } from '../core/priority.ts';
import type { TakenPositions } from '../pricing/volume.ts';
import type { Channel, ChannelContents } from './channel.ts';
import { type ProviderReceipt, REPORTED_STATUSES } from './provider-port.ts';
import type { SmppOrigin } from './smpp-origin.ts';

/** An entry of a message's timeline: what was decided, why, and at what cost (docs/spec/messages.md#timeline). */
export interface Decision {
  /** ms. */
  readonly at: number;
  readonly kind: 'accepted' | 'deferred' | 'route' | 'provider' | 'receipt' | 'resolution' | 'fallback' | 'operator';
  /** Free text, or terms `name=value`; never the recipient or the content. */
  readonly detail: string;
  readonly coins?: number;
}

/** The union of the channels' statuses (docs/spec/messages.md#how-a-status-moves). `archived` is separate: see `archivedAt`. */
export const MESSAGE_STATUSES = ['queued', 'sending', ...REPORTED_STATUSES] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** The types of content (docs/spec/messages.md#payload-by-type). */
export const MESSAGE_TYPES = ['text', 'template', 'media', 'interactive'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];
/** How a message was created: by a person in the composer, by an API call, or by an automation. */
export const MESSAGE_ORIGINS = ['composer', 'api', 'automation'] as const;
export type MessageOrigin = (typeof MESSAGE_ORIGINS)[number];

/** State of a message's hold: opened when it was accepted, then captured or released exactly once. */
export type HoldState = 'open' | 'captured' | 'released';

/** Why a fallback step could not be sent when checked: code and text of the v1 contract. */
export interface StepRefusal {
  readonly code: V1Code;
  readonly detail: string;
  readonly reason?: string | undefined;
}

/** Metadata of an uploaded file: its detected type, size in bytes, and upload time (ms). */
export interface MediaStorage {
  readonly mimeType: string;
  readonly size: number;
  readonly storedAt: number;
}

/** The mutable fields that lists filter by; null: not listed yet. */
export type ListedState = {
  readonly status: MessageStatus;
  readonly via?: 'rcs' | 'sms' | undefined;
  readonly archived?: boolean | undefined;
} | null;

/** The step of a journey's run that sent a message. */
export interface JourneyLabel {
  readonly journeyId: Id<'journey'>;
  /** The step's key in the journey. */
  readonly stepId: string;
  readonly runId: Id<'run'>;
  /** True if the journey waits for an outcome of this step's messages, so that their receipts wake the run. */
  readonly awaited?: true | undefined;
  /** The message that the run knows, if this one was resent in its place. */
  readonly firstId?: Id<'message'> | undefined;
}

interface MessageBase extends Tenant {
  readonly id: Id<'message'>;
  readonly direction: 'outbound';
  readonly type: MessageType;
  readonly priority: Priority;
  readonly status: MessageStatus;
  /** One of the channel's reasons, or how the hold was resolved: indeterminate, abandoned, cancelled. */
  readonly reason?: string | undefined;
  /** In the channel's own format: E.164, an e-mail address. */
  readonly to: string;
  /** Blind index of `to`. */
  readonly recipientHash: string;
  /** Region of the phone number; only on channels addressed by phone. */
  readonly region?: 'BR' | 'INTL' | undefined;
  readonly route: string;
  readonly provider: string;
  /** The channel that carried it, once the provider reported it: RCS may have fallen back to SMS. */
  readonly via?: 'rcs' | 'sms' | undefined;
  /** Billed units: segments on SMS, else 1. */
  readonly units: number;
  readonly contactId?: Id<'contact'> | undefined;
  /** The hour since 1970 in which it counts towards its contact's frequency caps; absent if it doesn't count. */
  readonly countedHour?: number | undefined;
  readonly campaignId?: string | undefined;
  /** The step of a journey that sent it. */
  readonly journey?: JourneyLabel | undefined;
  /** The SMPP account that submitted it; absent if it was not submitted over SMPP. */
  readonly smpp?: SmppOrigin | undefined;
  /** The campaign that sent it; `campaignId` is the tag that the API shows. */
  readonly campaign?: Id<'campaign'> | undefined;
  /** The number or account it is sent from, on channels that have them. */
  readonly numberId?: string | undefined;
  readonly instagramAccountId?: string | undefined;
  readonly templateId?: string | undefined;
  /** The template's variables, in the order of its placeholders. */
  readonly templateVars?: readonly string[] | undefined;
  readonly batchId?: Id<'batch'> | undefined;
  /** The wallet lane of its money and positions; absent: the wallet's own row. */
  readonly lane?: number | undefined;
  /**
   * The escrow shard that holds its money until it is resolved: `<batchId>#<chunk>#<shard>`. Absent: the message has a
   * hold of its own in the wallet.
   */
  readonly escrow?: string | undefined;
  /** The operator, when it was sent from the dashboard. */
  readonly sentByAccountId?: Id<'account'> | undefined;
  /** The operator's name then. Personal data: never logged. */
  readonly sentByName?: string | undefined;
  /** The file of a media message that was uploaded through the service. */
  readonly mediaStorage?: MediaStorage | undefined;
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly coins: Coins;
  /** Its positions in the month's volume; absent if they are in the first band of the month of `createdAt`. */
  readonly positions?: TakenPositions | undefined;
  /** The volume band of its first unit: units `from` to `upTo` of the month; `upTo` is null in the last band. */
  readonly band?: { readonly index: number; readonly from: number; readonly upTo: number | null } | undefined;
  /** Price of each fallback step when it was accepted, in coins, in order; absent without fallbacks. */
  readonly fallbackCoins?: readonly number[] | undefined;
  /** Why each fallback step could not have been sent when the message was accepted, in order; absent when all could. */
  readonly fallbackRefusals?: readonly (StepRefusal | null)[] | undefined;
  readonly hold: HoldState;
  /** The captured part of `coins`, if the rest was released: a push that only some of its devices accepted. */
  readonly capturedCoins?: Coins | undefined;
  /** Its price by carrier, in coins, if that differs: `coins` is the higher. */
  readonly carrierCoins?: CarrierCoins | undefined;
  /** The part of `coins` that was refunded once the provider reported the carrier. */
  readonly refunded?: Coins | undefined;
  /** Only the worker that raised the fence last may resolve the hold; writes with a smaller one are rejected. */
  readonly fence: number;
  /** While sending: until when the holder of the fence may resolve the hold. While queued: when it is to be sent. In ms. */
  readonly deadline: number;
  /** When a queued message was claimed for its provider, in ms; other messages are dispatched at `createdAt`. */
  readonly dispatchedAt?: number | undefined;
  /** True once the provider's answer was ambiguous: only a status query or a receipt can prove that it was sent. */
  readonly uncertain?: boolean | undefined;
  /** How many times recovery has claimed it. */
  readonly inquiries?: number | undefined;
  /** True when it bypasses rate limits and quiet hours; only the force operation sets it (docs/spec/messages.md#force). */
  readonly force?: boolean | undefined;
  readonly scheduledAt?: number | undefined;
  /** Its expiry (ms): it is not sent after that, and fails as expired. */
  readonly validUntil?: number | undefined;
  /** Until when it was last deferred, by quiet hours or its number's rate (ms); kept after it is sent. */
  readonly deferredTo?: number | undefined;
  /** How it was created; absent for an API operation. */
  readonly origin?: MessageOrigin | undefined;
  /** The fallback that it is a step of: the id of the first message. */
  readonly fallbackId?: Id<'message'> | undefined;
  /** Resend (docs/spec/messages.md#archive): the message that it replaces, and the one that replaced it. */
  readonly replaces?: Id<'message'> | undefined;
  readonly replacedBy?: Id<'message'> | undefined;
  readonly archivedAt?: number | undefined;
  /** Its listed state when its hour, and its day, was settled, if it changed since (settled.ts). */
  readonly settledHour?: ListedState | undefined;
  readonly settledDay?: ListedState | undefined;
  /** True while the content to send is stored sealed in a row of its own, until the hold is resolved. */
  readonly hasBody?: boolean | undefined;
  /**
   * True if its batch was rejected as a whole: it is treated as never created, no webhook mentions it, and no list or
   * read shows it.
   */
  readonly withdrawn?: true | undefined;
  /** The caller's idempotency key, so that a refund can free it. */
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

/** The journey or campaign labels of a message; its fallbacks and resends have them, too. */
export type AutomationLabels = Pick<MessageBase, 'origin' | 'journey' | 'campaign'>;

/** Picks these labels. */
export const automationLabels = ({ origin, journey, campaign }: AutomationLabels): AutomationLabels => ({
  ...(origin === undefined ? {} : { origin }),
  ...(journey === undefined ? {} : { journey }),
  ...(campaign === undefined ? {} : { campaign }),
});

/** Fields of the common message besides a channel's own: sender, template, batch, operator, automation and SMPP account. */
export type Labels = Pick<
  MessageBase,
  | 'numberId'
  | 'instagramAccountId'
  | 'templateId'
  | 'templateVars'
  | 'batchId'
  | 'sentByAccountId'
  | 'sentByName'
  | 'mediaStorage'
  | 'smpp'
  | keyof AutomationLabels
>;

/** Prices of an RCS message that its provider may send as an SMS, in coins. */
export type CarrierCoins = Readonly<Record<'rcs' | 'sms', Coins>>;

/** A stored message of one channel (docs/spec/messages.md#message-shape). Times are ms. */
export type MessageOf<C extends Channel> = MessageBase & { readonly channel: C; readonly content: ChannelContents[C] };
/** A message of any channel. */
export type MessageRecord = { [C in Channel]: MessageOf<C> }[Channel];

/** The fields of a message that its work items need. */
export type QueuedMessage = Pick<MessageRecord, 'id' | 'organizationId' | 'priority' | 'route'>;

/** When a message was handed to its provider, in ms: at acceptance if it was not queued. */
export const givenAt = ({ dispatchedAt, createdAt }: Pick<MessageRecord, 'createdAt' | 'dispatchedAt'>): number =>
  dispatchedAt ?? createdAt;

/**
 * Whether a message was queued: its caller was answered that it is accepted, and a repeat of that request is answered so again, whatever became
 * of it (docs/spec/sends.md#idempotency). Of any other, a refusal is the answer itself.
 */
export const wasQueued = ({ status, dispatchedAt }: Pick<MessageRecord, 'dispatchedAt' | 'status'>): boolean =>
  status === 'queued' || dispatchedAt !== undefined;

/** Order of the statuses; a message never moves to a smaller or equal rank (docs/spec/messages.md#how-a-status-moves). */
const RANK: Readonly<Record<MessageStatus, number>> = {
  queued: 0,
  sending: 1,
  sent: 2,
  delivered: 3,
  undelivered: 3,
  failed: 3,
  read: 4,
  // A mail server may accept an e-mail and bounce it later; a complaint proves that it was received.
  bounced: 4,
  complained: 5,
};

/** Whether `next` ranks above `now`. */
export const advances = (now: MessageStatus, next: MessageStatus): boolean => RANK[next] > RANK[now];

/** Whether the message reached its recipient. */
export const isDelivered = ({ status }: Pick<MessageRecord, 'status'>): boolean =>
  status === 'delivered' || status === 'read' || status === 'complained';

/** Whether it is certain that the message will not reach its recipient. */
export const isFailed = ({ status }: Pick<MessageRecord, 'status'>): boolean =>
  status === 'failed' || status === 'undelivered' || status === 'bounced';

import type { Id } from '../core/ids.ts';
import type { Channel } from './channel.ts';
import type { MetaEvent } from './meta-event.ts';

/** Kinds of provider callback. Each has an address of its own, so that one provider can serve several channels. */
export const CALLBACK_KINDS = ['receipts', 'replies', 'rcs-receipts', 'events'] as const;
export type CallbackKind = (typeof CALLBACK_KINDS)[number];

/** A message handed to a provider. `Content` is the channel's final content. */
export interface Dispatch<Content> {
  /** Our reference: as far as a provider supports it, repeated in receipts and used for deduplication and status queries. */
  readonly messageId: Id<'message'>;
  /** In the channel's own format: E.164, an e-mail address. */
  readonly to: string;
  readonly route: string;
  readonly content: Content;
  /** Where the provider posts receipts: an https address of this deployment, without query. */
  readonly callbackUrl: string;
}

/** Why a provider refused. The first three causes lie in the message, the others in the route: then another provider may be tried. */
export type RefusalCause =
  | 'recipient'
  | 'content'
  | 'blacklisted'
  | 'sender'
  | 'throttled'
  | 'credit'
  | 'credentials'
  | 'unavailable';

/**
 * A provider's answer to a send. `refused` is certain: nothing was or will be sent. Everything uncertain is `unknown`
 * (time-out, connection lost after the request was written, 5xx, an answer that does not parse) and is never retried automatically.
 */
export type ProviderAnswer =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | {
      readonly kind: 'refused';
      readonly cause: RefusalCause;
      /** A channel reason more specific than the cause's. */
      readonly reason?: string;
      /** The provider's own code and text, without the recipient or the content. */
      readonly detail: string;
      readonly retryAfterSeconds?: number;
      /** True when a rule of ours stopped the send (see `detail`) and the provider was not called. */
      readonly notCalled?: boolean;
    }
  | { readonly kind: 'unknown'; readonly detail: string };
/** An answer that is certain: nothing was sent. */
export type RefusedAnswer = Extract<ProviderAnswer, { kind: 'refused' }>;

/** Answer to a status query by our reference. `not_found` is certain; `undecided`: query again later. */
export type StatusAnswer =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'undecided'; readonly detail: string };

/** The statuses a provider can report; a channel uses those it documents (docs/spec/messages.md#how-a-status-moves). */
export const REPORTED_STATUSES = [
  'sent',
  'delivered',
  'read',
  'failed',
  'undelivered',
  'bounced',
  'complained',
] as const;
export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

/** A delivery report. */
export interface ReceiptEvent {
  readonly kind: 'receipt';
  /** Our reference, when the provider repeats it; unverified. */
  readonly messageId?: string;
  readonly providerMessageId: string;
  readonly status: ReportedStatus;
  /** One of the channel's reasons. */
  readonly reason?: string;
  /** The provider refused the message and sent nothing: such a receipt is no proof that it was accepted. */
  readonly refused?: true;
  /** The channel that carried it, where the provider may choose (RCS with its SMS fallback). */
  readonly via?: 'rcs' | 'sms';
  /** When it happened, in ms, by the provider's clock if it reports one. */
  readonly at?: number;
  /** The report as stored and shown (docs/spec/sms.md#provider-receipt); `to` in E.164. */
  readonly receipt?: ProviderReceipt;
}

/** A provider's receipt as shown on the wire (docs/spec/sms.md#provider-receipt). */
export interface ProviderReceipt {
  readonly id: string;
  readonly type: 'api_message' | 'api_fast' | 'api_reply';
  readonly to: string;
  readonly message?: string;
  readonly reference?: string;
  readonly status: string;
  readonly statusDescription?: string;
  readonly received?: string;
  readonly bill_factor?: number;
  readonly account_id?: number;
  readonly account_reference?: string;
  readonly channel?: 'SMS' | 'RCS' | 'WHATSAPP' | null;
}

/** An SMS reply. */
export interface ReplyEvent {
  readonly kind: 'reply';
  /** The provider's id of the reply; repeated callbacks are deduplicated by it. */
  readonly providerReplyId: string;
  /** The message it replies to, by the provider's id or our reference (unverified), where the provider reports it. */
  readonly inReplyTo?: { readonly messageId?: string; readonly providerMessageId?: string };
  /** E.164, or the short code as received. */
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly at: number;
}

/** A part of an SMS reply, from a provider that delivers parts as they arrive, in any order and possibly repeated. */
export interface ReplyPartEvent {
  readonly kind: 'reply_part';
  /** E.164, or the short code as received. */
  readonly from: string;
  readonly to: string;
  /** Identifies the message among those from one phone to one number, for some minutes. */
  readonly reference: string;
  /** 2 to 255. */
  readonly total: number;
  /** 1 to `total`. */
  readonly number: number;
  /** The data_coding of its bytes, and the bytes in base64: a character may span two parts. */
  readonly coding: number;
  readonly bytes: string;
}

/** An open or a click reported by the provider. */
export interface EngagementEvent {
  readonly kind: 'engagement';
  /** Our reference, when the provider repeats it; unverified. */
  readonly messageId?: string;
  readonly providerMessageId: string;
  readonly what: 'opened' | 'clicked';
  /** The address that was followed. */
  readonly url?: string;
  readonly at?: number;
}

/** A message that a person sent to the organization. */
export interface InboundEvent {
  readonly kind: 'inbound';
  /** The provider's id of the message; with the channel it deduplicates repeated callbacks. */
  readonly providerMessageId: string;
  readonly channel: Channel;
  /** E.164 phone, e-mail address, Instagram-scoped id, or the WhatsApp user id of a person whose phone is hidden. */
  readonly from: string;
  /** The channel's user id of the sender, where it reports the phone too. */
  readonly userId?: string;
  /** The address it was sent to, as the provider names it: WhatsApp phone number id, Instagram account id, short code, e-mail address. */
  readonly to?: string;
  readonly type: 'text' | 'media' | 'interactive';
  readonly text?: string;
  /** Everything but the text, as a common payload: media {media: {kind, id, mimeType, sha256?, caption?, filename?, voice?}}; interactive {interactive: {...}}. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The provider's id of the message that it replies to. */
  readonly inReplyTo?: string;
  /** WhatsApp profile name, Instagram username. */
  readonly profileName?: string;
  /** The click-to-WhatsApp referral as Meta sends it. */
  readonly referral?: Readonly<Record<string, unknown>>;
  /** ms */
  readonly at: number;
}

/** The event of a callback. */
export type ProviderEvent = ReceiptEvent | ReplyEvent | ReplyPartEvent | EngagementEvent | InboundEvent | MetaEvent;

/** A provider's callback request. Header names are lower-case. */
export interface CallbackRequest {
  /** The public URL that was called, with its query: some signatures cover it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body's exact text. */
  readonly body: string;
}

/**
 * The result of reading a callback. `forged` is answered 403 and `malformed` 400; neither changes anything. `confirmed`: a handshake that
 * the adapter completed (an SNS subscription). `unverifiable`: the signature could not be checked now; answered 503, because providers
 * drop what is refused with 4xx and repeat what fails with 5xx.
 */
export type CallbackReading =
  | {
      readonly kind: 'events';
      readonly events: readonly ProviderEvent[];
      /** Number of entries that could not be parsed; the others are handled. */
      readonly unreadable?: number;
      /** Names of reported fields that nothing here handles; never their values. */
      readonly ignored?: readonly string[];
    }
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'forged'; readonly detail: string }
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'unverifiable'; readonly detail: string };

/** A provider account that belongs to one organization. */
export interface ProviderAccount {
  /** Our id of the account. */
  readonly id: string;
  readonly organizationId: Id<'organization'>;
  /** The provider's id of the account. */
  readonly account: string;
}

/** Reads the callbacks of a provider of one channel. Opened with what verifies them, and with no credential to send. */
export interface CallbackReader {
  /** The organizations' own accounts, as configured by the operator; absent where all organizations share the provider's. */
  readonly accounts?: readonly ProviderAccount[];
  /**
   * Whether all organizations send from this account, so that an inbound message belongs to the organization it replies to. Absent where
   * every account is shared. A message to an account that is not shared belongs to its owner, if it has one.
   */
  readonly isShared?: (account: string) => boolean;
  /**
   * Whether its receipts name a message by the provider's id alone, which we have only once the send was answered: one that matches no
   * message waits for it. Absent where they repeat our reference.
   */
  readonly namesOwnIdOnly?: boolean;
  /** Verifies the signature and parses a callback. Never throws. */
  readCallback(request: CallbackRequest): Promise<CallbackReading>;
  /**
   * Answers the challenge with which a provider verifies a callback address: the text it expects, or undefined when the verification
   * token is missing or wrong. Absent where the provider sends no challenge.
   */
  answerChallenge?(query: Readonly<Record<string, string>>): string | undefined;
}

/** A provider of one channel, which sends. Adapters are factories over parsed settings and I/O, without state between calls. */
export interface Provider<Content> extends Pick<CallbackReader, 'accounts'> {
  readonly name: string;
  /** Sends one message. Never throws; answers `unknown` after `timeoutMs` of its settings. */
  send(dispatch: Dispatch<Content>): Promise<ProviderAnswer>;
  /**
   * Queries a message by our reference; absent where the provider has no such query. `sentAt` (ms) is when it was dispatched: a provider
   * whose records lag answers `not_found` only for messages older than the lag, and never without `sentAt`.
   */
  queryStatus?(messageId: Id<'message'>, sentAt?: number): Promise<StatusAnswer>;
}

/** Credentials of a WhatsApp number at Meta. */
export interface NumberAccess {
  readonly phoneNumberId: string;
  readonly accessToken: string;
}

/** A call of a provider whose body, if any, is text. */
export interface TextCall {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** For the whole exchange, in ms. */
  readonly timeoutMs: number;
  /** Longest response body, in bytes. */
  readonly maxBytes: number;
}
export interface TextAnswer {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  readonly body: string;
}
/** Makes a call once. Rejects with the socket's error, a `TimeoutError`, or a `RangeError` for too long an answer. */
export type CallText = (call: TextCall) => Promise<TextAnswer>;

/** I/O that adapters receive from outside, so that tests control time and the network. */
export interface ProviderIo {
  readonly callText: CallText;
  /** For bodies other than text. */
  readonly fetch: typeof fetch;
  readonly now: () => number;
  /** The credentials of a WhatsApp number by our id; undefined once its organization disconnected it. */
  readonly numberOf?: (numberId: string) => Promise<NumberAccess | undefined>;
}

/** A provider's entry in the registry. */
export interface ProviderDeclaration<Content, Settings> {
  readonly channel: Channel;
  readonly name: string;
  /** Parses the operator's settings; the schema names every setting, its default and its purpose. */
  readonly settings: { parse(input: unknown): Settings };
  create(settings: Settings, io: ProviderIo): Provider<Content>;
  readonly callbacks: CallbackDeclaration;
}

/** How a provider's callbacks are read. */
export interface CallbackDeclaration {
  /** Takes what verifies them from the operator's settings, or from what it took before. */
  readonly settings: { parse(input: unknown): unknown };
  /** `settings`: as stored; throws if they are invalid. */
  open(settings: unknown, io: ProviderIo): CallbackReader;
}

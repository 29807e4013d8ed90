import type { Id } from '../ids.ts';

/** The channels of the service (interface, part 1). */
export const CHANNELS = ['whatsapp', 'email', 'sms', 'rcs', 'push', 'instagram'] as const;
export type Channel = (typeof CHANNELS)[number];

/** The last part of the address that a provider reports the messages of a channel to: one provider may carry several channels. */
export const CALLBACK_KIND_OF = {
  sms: 'receipts',
  email: 'receipts',
  rcs: 'rcs-receipts',
  whatsapp: 'events',
  push: 'receipts',
  instagram: 'events',
} as const satisfies Readonly<Record<Channel, string>>;

/** One message on its way to a provider. `Content` is what the channel sends, as it is to reach the recipient. */
export interface Dispatch<Content> {
  /** Our reference: the provider repeats it in receipts, deduplicates by it or can be asked by it, as far as it is able. */
  readonly messageId: Id<'message'>;
  /** In the channel's own format: E.164, an e-mail address. */
  readonly to: string;
  readonly route: string;
  readonly content: Content;
  /** Where this provider shall post receipts: an https address of this deployment, without query. */
  readonly callbackUrl: string;
}

/** Why a provider refused. The first three belong to the message; the others to the route, where another provider may be tried. */
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
 * What a provider said of a send.
 * `refused` is certain: nothing was sent, nothing will be. Whatever is not certain is `unknown`
 * (time-out, connection lost after the request left, 5xx, an answer that does not parse): never sent again by itself.
 */
export type ProviderAnswer =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | {
      readonly kind: 'refused';
      readonly cause: RefusalCause;
      /** A reason of the channel's that is nearer than that of the cause. */
      readonly reason?: string;
      /** The provider's own code and words, without the recipient or the content. */
      readonly detail: string;
      readonly retryAfterSeconds?: number;
      /** True where a rule of ours stopped it, told by `detail`: the provider was not asked. */
      readonly unasked?: boolean;
    }
  | { readonly kind: 'unknown'; readonly detail: string };
export type RefusedAnswer = Extract<ProviderAnswer, { kind: 'refused' }>;

/** What a provider knows of our reference. `not_found` is certain; `undecided` means ask again later. */
export type ProviderInquiry =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'undecided'; readonly detail: string };

/** Where a provider's report may take a message; a channel takes the ones that its states name (interface, part 3). */
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
  /** Our reference, when the provider repeats it. */
  readonly messageId?: string;
  readonly providerMessageId: string;
  readonly status: ReportedStatus;
  /** One of the channel's reasons. */
  readonly reason?: string;
  /** The channel that carried it, where the provider may choose (RCS with its SMS fallback). */
  readonly via?: 'rcs' | 'sms';
  /** When it happened, in ms; the provider's word where it gives one. */
  readonly at?: number;
  /** What is kept of the report; on SMS, interface 2.1, providerReceipt with `to` in E.164. */
  readonly receipt?: ProviderReceipt;
}

/** interface 2.1, providerReceipt. */
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

/** A person's answer to a message. */
export interface ReplyEvent {
  readonly kind: 'reply';
  /** The provider's id of the inbound message: what makes a repeated callback one reply. */
  readonly providerReplyId: string;
  /** The provider's id of the message that it answers, or our reference, when the provider tells. */
  readonly inReplyTo?: { readonly messageId?: string; readonly providerMessageId?: string };
  /** E.164, or the short code as it came. */
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly at: number;
}

/** A person opened a message or followed a link in it, as the provider saw it. */
export interface EngagementEvent {
  readonly kind: 'engagement';
  readonly messageId?: string;
  readonly providerMessageId: string;
  readonly what: 'opened' | 'clicked';
  /** The address that was followed. */
  readonly url?: string;
  readonly at?: number;
}

/** A message that someone sent to us. */
export interface InboundEvent {
  readonly kind: 'inbound';
  /** The platform's id of it; with the channel it is what makes a repeat of the callback harmless. */
  readonly providerMessageId: string;
  readonly channel: Channel;
  /** E.164 phone, e-mail address or Instagram-scoped id. */
  readonly from: string;
  /** What it was sent to, in the provider's own terms: WhatsApp phone number id, Instagram account id, short code, address. */
  readonly to?: string;
  readonly type: 'text' | 'media' | 'interactive';
  readonly text?: string;
  /** The rest in the form of our payload (media: {media: {kind, id, mimeType, sha256?, caption?, filename?, voice?}}; interactive: {interactive: {...}}). */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Platform id of the message that it answers. */
  readonly inReplyTo?: string;
  /** WhatsApp profile name, Instagram username. */
  readonly profileName?: string;
  /** The click-to-WhatsApp referral as the platform gives it. */
  readonly referral?: Readonly<Record<string, unknown>>;
  /** ms */
  readonly at: number;
}

/** The template that the platform speaks of, in its own words. */
interface TemplateNamed {
  readonly wabaId: string;
  readonly platformTemplateId: string;
  readonly name: string;
  readonly language: string;
}

/** The words of a template as the platform reports them: without examples, media and what its buttons do besides. */
export interface TemplateWords {
  readonly body: string;
  /** Of a header of text; absent of any other. */
  readonly header?: string | undefined;
  readonly footer?: string | undefined;
  /** All of them, in their order; absent where none is an address or a phone. */
  readonly buttons?:
    | readonly {
        readonly type: string;
        readonly text?: string | undefined;
        readonly url?: string | undefined;
        readonly phoneNumber?: string | undefined;
      }[]
    | undefined;
}
/** Something that the platform says about a template, a number or an account rather than about a message. */
export type PlatformEvent = { readonly kind: 'platform' /** ms */; readonly at: number } & (
  | (TemplateNamed & {
      readonly about: 'template';
      /** APPROVED, REJECTED, PENDING, PAUSED, DISABLED, or another in the platform's words. */
      readonly event: string;
      readonly reason?: string;
      /** MARKETING, UTILITY or AUTHENTICATION: the category that it has at this moment. */
      readonly category?: string;
    })
  /** The category that a template has from now on, or goes on having until a change that was announced. */
  | (TemplateNamed & { readonly about: 'template_category'; readonly category: string })
  /** What a template says since it was edited on the platform. */
  | (TemplateNamed & { readonly about: 'template_components' } & TemplateWords)
  | {
      readonly about: 'number_quality';
      readonly wabaId: string;
      readonly displayPhone: string;
      readonly event: string;
      readonly currentLimit?: string;
    }
  | { readonly about: 'account'; readonly wabaId: string; readonly event: string; readonly detail?: string }
  /** What the review of the name that a number shows came to: APPROVED, REJECTED, PENDING or DEFERRED. */
  | {
      readonly about: 'number_name';
      readonly wabaId: string;
      readonly displayPhone: string;
      readonly decision: string;
      readonly name: string;
    }
  /** Where a flow stands from now on, in the platform's word. */
  | { readonly about: 'flow'; readonly wabaId: string; readonly platformFlowId: string; readonly status: string }
  /** The messaging limit of all numbers of an account, as a tier in the platform's words. */
  | { readonly about: 'account_limit'; readonly wabaId: string; readonly limit: string }
  /** A person stopped or resumed marketing messages of a number. */
  | {
      readonly about: 'preference';
      readonly phoneNumberId: string;
      /** E.164. */
      readonly from: string;
      readonly value: 'stop' | 'resume';
    }
);

export type ProviderEvent = ReceiptEvent | ReplyEvent | EngagementEvent | InboundEvent | PlatformEvent;

/** A provider's callback as it came over HTTP. Header names are lower-case. */
export interface CallbackRequest {
  /** The public address that was called, query included: some signatures cover it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body's exact text. */
  readonly body: string;
}

/**
 * What a callback turned out to be. `forged` is answered 403, `malformed` 400; both change nothing.
 * `confirmed` is a handshake that the adapter has completed (an SNS subscription). `unverifiable` could not be checked or
 * completed just now; it is answered 503, because providers drop what is refused with 4xx and repeat what fails with 5xx.
 */
export type CallbackReading =
  | {
      readonly kind: 'events';
      readonly events: readonly ProviderEvent[];
      /** Entries of a body with many that could not be read; they are counted and the others are taken. */
      readonly unread?: number;
      /** What the platform reports on that nobody reads here, by its own names; never what it says. */
      readonly ignored?: readonly string[];
    }
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'forged'; readonly detail: string }
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'unverifiable'; readonly detail: string };

/** An account of a provider's that belongs to one organization. */
export interface ProviderAccount {
  /** Our id of it. */
  readonly id: string;
  readonly organizationId: string;
  /** The platform's own id of it. */
  readonly account: string;
}

/** One provider of one channel. An adapter is a factory over its parsed settings and its I/O; it keeps no state between calls. */
export interface Provider<Content> {
  readonly name: string;
  /** The accounts that the operator gave it; absent where a provider sends for everybody from its own. */
  readonly accounts?: readonly ProviderAccount[];
  /**
   * Whether everybody sends from this account of the platform, so that what comes to it is whose it answers. Absent where the provider
   * knows none but shared ones; what comes to any other is its owner's, or nobody's.
   */
  readonly shares?: (account: string) => boolean;
  /** Hands one message over. Never throws; gives up after `timeoutMs` of its settings with `unknown`. */
  send(dispatch: Dispatch<Content>): Promise<ProviderAnswer>;
  /**
   * Asks by our reference. Absent where the provider offers no such question. `sentAt` (ms) is when it was handed over: a provider
   * whose books lag calls nothing absent that is younger than the lag, or of an age that it is not told.
   */
  inquire?(messageId: Id<'message'>, sentAt?: number): Promise<ProviderInquiry>;
  /** Checks the signature and reads a callback. Never throws. */
  readCallback(request: CallbackRequest): Promise<CallbackReading>;
  /**
   * Answers a platform that asks, before it calls back, whether the address is ours: the text that it wants to read, or undefined
   * when the question does not prove who asks. Absent where the provider asks no such question.
   */
  answerChallenge?(query: Readonly<Record<string, string>>): string | undefined;
}

/** How a number is reached at the platform. */
export interface NumberAccess {
  readonly phoneNumberId: string;
  readonly accessToken: string;
}

/** The I/O that adapters get from outside, so that tests can hold time and the network. */
export interface ProviderIo {
  readonly fetch: typeof fetch;
  readonly now: () => number;
  /** What a WhatsApp number is reached by, by our id of it; undefined once its organization has disconnected it. */
  readonly numberOf?: (numberId: string) => Promise<NumberAccess | undefined>;
}

/** How a provider is declared to the registry: one file and one line make a provider. */
export interface ProviderDeclaration<Content, Settings> {
  readonly channel: Channel;
  readonly name: string;
  /** Parses the operator's settings for this provider; the schema names every setting, its default and what it is for. */
  readonly settings: { parse(input: unknown): Settings };
  create(settings: Settings, io: ProviderIo): Provider<Content>;
}

import type { Id } from '../ids.ts';

/** The providers' names on the wire (decisions, part 4). */
export const SMS_PROVIDERS = [
  'aws_end_user_messaging',
  'twilio',
  'infobip',
  'smpp_carrier',
  'sandbox_provider',
] as const;
export type SmsProviderName = (typeof SMS_PROVIDERS)[number];

/** Routes of an SMS (interface, 2.1). `la_dedicada` has no table price and is never dispatched. */
export const SMS_ROUTES = ['premium', 'otp', 'la_dedicada'] as const;
export type SmsRoute = (typeof SMS_ROUTES)[number];

/** One text on its way to a provider. */
export interface SmsDispatch {
  /** Our reference: the provider repeats it in receipts, deduplicates by it or can be asked by it, as far as it is able. */
  readonly messageId: Id<'message'>;
  /** E.164. */
  readonly to: string;
  /** The text as it is to reach the device. */
  readonly text: string;
  readonly encoding: 'GSM-7' | 'UCS-2';
  readonly senderId?: string;
  readonly route: Exclude<SmsRoute, 'la_dedicada'>;
  /** Where this provider shall post receipts: an https address of this deployment, without query. */
  readonly callbackUrl: string;
}

/**
 * What a provider said of a send.
 * `refused` is certain: nothing was sent, nothing will be. Whatever is not certain is `unknown`
 * (time-out, connection lost after the request left, 5xx, an answer that does not parse): never sent again by itself.
 */
export type SmsAnswer =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | {
      readonly kind: 'refused';
      /** `recipient`, `content` and `blacklisted` belong to this message; the others to the route, where another provider may be tried. */
      readonly cause: 'recipient' | 'content' | 'blacklisted' | 'throttled' | 'credit' | 'credentials' | 'unavailable';
      /** The provider's own code and words, without the recipient or the text. */
      readonly detail: string;
      readonly retryAfterSeconds?: number;
    }
  | { readonly kind: 'unknown'; readonly detail: string };

/** What a provider knows of our reference. `not_found` is certain; `undecided` means ask again later. */
export type SmsInquiry =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'undecided'; readonly detail: string };

/** A delivery receipt or an inbound reply, read from a provider's callback. */
export type SmsCallbackEvent =
  | {
      readonly kind: 'receipt';
      /** Our reference, when the provider repeats it. */
      readonly messageId?: string;
      readonly providerMessageId: string;
      readonly status: 'sent' | 'delivered' | 'failed' | 'undelivered';
      readonly reason?: 'invalid_number' | 'carrier_rejected' | 'blacklisted' | 'expired';
      /** When it happened, in ms; the provider's word where it gives one. */
      readonly at?: number;
      /** interface 2.1, providerReceipt; `to` in E.164. */
      readonly receipt: SmsProviderReceipt;
    }
  | {
      readonly kind: 'reply';
      /** The provider's id of the inbound message: what makes a repeated callback one reply. */
      readonly providerReplyId: string;
      /** The provider's id of the SMS that it answers, or our reference, when the provider tells. */
      readonly inReplyTo?: { readonly messageId?: string; readonly providerMessageId?: string };
      /** E.164, or the short code as it came. */
      readonly from: string;
      readonly to: string;
      readonly body: string;
      readonly at: number;
    };

/** interface 2.1, providerReceipt. */
export interface SmsProviderReceipt {
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
  | { readonly kind: 'events'; readonly events: readonly SmsCallbackEvent[] }
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'forged'; readonly detail: string }
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'unverifiable'; readonly detail: string };

/** One provider of SMS. An adapter is a factory over its parsed settings and its I/O; it keeps no state between calls. */
export interface SmsProvider {
  readonly name: SmsProviderName;
  /** Hands one text over. Never throws; gives up after `timeoutMs` of its settings with `unknown`. */
  send(dispatch: SmsDispatch): Promise<SmsAnswer>;
  /**
   * Asks by our reference. Absent where the provider offers no such question. `sentAt` (ms) is when it was handed over: a provider
   * whose books lag calls nothing absent that is younger than the lag, or of an age that it is not told.
   */
  inquire?(messageId: Id<'message'>, sentAt?: number): Promise<SmsInquiry>;
  /** Checks the signature and reads a callback. Never throws. */
  readCallback(request: CallbackRequest): Promise<CallbackReading>;
}

/** The I/O that adapters get from outside, so that tests can hold time and the network. */
export interface ProviderIo {
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

/** How a provider is declared to the registry: one file and one line make a provider. */
export interface SmsProviderDeclaration<Settings> {
  readonly name: SmsProviderName;
  /** Parses the operator's settings for this provider; the schema names every setting, its default and what it is for. */
  readonly settings: { parse(input: unknown): Settings };
  create(settings: Settings, io: ProviderIo): SmsProvider;
}

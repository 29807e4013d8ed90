import type * as z from 'zod';
import type { Tenant } from '../core/actor.ts';
import type { EventType } from '../events/catalogue.ts';
import type { Channel, ChannelContents, RecipientKind } from './channel.ts';
import type { InboundMessage } from './inbound-message.ts';
import type { MessageOf, MessageRecord, MessageStatus, MessageType } from './message.ts';
import type { ChannelPlanner } from './plan.ts';
import type { CallbackKind, ProviderReceipt, RefusalCause, RefusedAnswer } from './provider-port.ts';
import type { SandboxReport, SandboxScript } from './sandbox.ts';
import type { SendRequest } from './send-request.ts';

/** The fields of a send request that a resend rebuilds from the stored content. */
export type ResendContent = Pick<SendRequest, 'text' | 'payload' | 'template'>;

/** The texts of a template with the values of a send filled in, as its recipient reads them. */
export interface TemplateTexts {
  readonly text?: string | undefined;
  /** Of an e-mail. */
  readonly subject?: string | undefined;
  readonly html?: string | undefined;
}

/** Plans a channel's messages. Loaded on first use, so that a function's cold start excludes channels it does not send. */
export interface ChannelPlanning<C extends Channel, Ports> {
  /** The schema of a common payload of this type. */
  payloadSchema(type: MessageType): z.ZodType;
  /** Maps the fields of a send request to their names in the channel's own operation, which its refusals use. */
  fieldNames?(request: SendRequest): Readonly<Record<string, string>>;
  /** The texts of the template that a request names; none if it could not be sent. Absent where it is a WhatsApp template. */
  templateTexts?(ports: Ports, tenant: Tenant, request: SendRequest): Promise<TemplateTexts>;
  /** Plans a send request under the rules and limits of the channel's own operation. */
  plan: ChannelPlanner<C, Ports, SendRequest>;
}

/** How a channel treats addresses that its provider reported as suppressed. */
export interface ChannelSuppression<C extends Channel> {
  /** How long an address counts as suppressed after a report, in ms. */
  readonly ms: number;
  /** Whether a report means that the provider suppresses the message's address from now on. */
  isReportedBy(
    message: Pick<MessageRecord, 'provider' | 'to'>,
    report: { readonly status?: MessageStatus; readonly reason?: string | undefined },
  ): boolean;
  /** The refusal of a message that needs no provider call; undefined if it may be sent. */
  refusal(to: string, suppressed: boolean): RefusedAnswer | undefined;
  /** The outbound content with a lookup that the provider awaits before it sends. */
  withLookup(content: ChannelContents[C], suppressed: Promise<boolean>): ChannelContents[C];
}

/**
 * Everything a channel adds to the common pipeline. A channel is a folder under `channels/` with one of these, a line in the
 * registry and a provider adapter. Functions are declared as methods so that the registry can hold all definitions as one type.
 */
export interface ChannelDefinition<C extends Channel = Channel, Ports = unknown> {
  readonly channel: C;
  readonly recipient: RecipientKind;
  /** The kind of a sender's address, where people may write from addresses that are no recipients; defaults to `recipient`. */
  senderKind?(from: string): RecipientKind;
  /** Routes of its price table for which an operator may order the providers. */
  readonly routes: readonly string[];
  /** Whether live units count towards the month's volume. */
  readonly countsVolume: boolean;
  /** Wire names of its providers that send callbacks or appear in its contract, in order. */
  readonly providers: readonly string[];
  /** The kinds of callback that its providers send; dispatches carry the address of the first. */
  readonly callbackKinds: readonly [CallbackKind, ...CallbackKind[]];
  /** Whether recipients can reply: a reply that names no message is matched to the last one sent to that person. */
  readonly receivesReplies: boolean;
  /** The event of an inbound message. */
  readonly receivedEvent: EventType;
  /** The content in the data of that event; defaults to type and payload. */
  receivedContent?(message: InboundMessage): Readonly<Record<string, unknown>>;
  /** The event raised when a message reaches a status. */
  readonly eventOf: Readonly<Partial<Record<MessageStatus, EventType>>>;
  readonly engagementOf: Readonly<Partial<Record<'opened' | 'clicked', EventType>>>;
  /** The channel's reason for causes that lie in the message: no other provider is tried, and the route counts as healthy. */
  readonly reasonOf: Readonly<Partial<Record<RefusalCause, string>>>;
  /** `own`: the channel has templates. `as_text`: the body of a saved WhatsApp template is sent as text. */
  readonly templates: 'own' | 'as_text';
  /**
   * True if one message goes to many devices, each with its own attempt: once due, it is handed to the fan-out, which
   * resolves its hold; the channel's provider is not called for the message as a whole.
   */
  readonly fansOut?: true;
  /** Parses stored content. */
  readonly storedContent: z.ZodType<ChannelContents[C]>;
  /** Stored content without text and recipient, for a message whose person was erased. */
  erased(content: ChannelContents[C]): ChannelContents[C];
  /** Text with the channel's character replacements. */
  writtenText?(text: string): string;
  /** Masks a recipient for callers without pii:full. */
  mask(to: string): string;
  /** The sandbox's script for a recipient. */
  sandbox(to: string): SandboxScript;
  /** Adjusts the sandbox's reports where they depend on the content. */
  sandboxReports?(message: MessageOf<C>, reports: readonly SandboxReport[]): readonly SandboxReport[];
  /** The provider receipt of a sandbox report, on channels that show one; `at` in ms. */
  sandboxReceipt?(message: MessageOf<C>, status: string, at: number): ProviderReceipt;
  /** Extra event data of the channel. */
  eventData?(message: MessageOf<C>): Readonly<Record<string, unknown>>;
  /** The stored content as the payload of the common message. */
  payload(content: ChannelContents[C]): Readonly<Record<string, unknown>>;
  /** The stored content as request fields for a resend, with new template variables if given; undefined where it is not stored. */
  resendContent(content: ChannelContents[C], templateVars: readonly string[] | undefined): ResendContent | undefined;
  /** Stored content that a resend copies because no request field carries it. */
  keptOnResend?(content: ChannelContents[C]): Partial<ChannelContents[C]>;
  /** The timeline's `window` term: how the 24-hour window was satisfied; undefined on channels without one. */
  windowTerm?(type: MessageType, env: 'live' | 'test'): string | undefined;
  readonly suppression?: ChannelSuppression<C>;
  planning(): Promise<ChannelPlanning<C, Ports>>;
}

/** Declares a channel. */
export const defineChannel = <C extends Channel, Ports>(definition: ChannelDefinition<C, Ports>) => definition;

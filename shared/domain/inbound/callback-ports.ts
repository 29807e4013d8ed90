import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Channel } from '../message/channel.ts';
import type { MessageRecord } from '../message/message.ts';
import type { MetaEvent } from '../message/meta-event.ts';
import type {
  CallbackKind,
  CallbackReader,
  CallbackReading,
  InboundEvent,
  ProviderEvent,
  ReplyPartEvent,
} from '../message/provider-port.ts';
import type { LastSent } from '../message/recipient.ts';
import type { TakeReceiptPorts } from '../sending/apply-receipt.ts';
import type { SendPorts } from '../sending/ports.ts';
import type { Engaged } from '../tracking/events.ts';
import type { KeepEarlyPorts } from './early-receipts.ts';
import type { SharedStop } from './preferences.ts';
import type { ReplyPorts } from './sms-reply.ts';

/** A callback address: the provider that calls it, and the kind of callback it receives. */
export interface CallbackAddress {
  readonly provider: string;
  readonly kind: CallbackKind;
}

/**
 * The result for one event of a callback, as a metric. `applied`: a receipt changed its message. `pending`: a receipt waits until its
 * message is settled, or has the provider's id that it names, or a part of a reply for the others. `kept`: stored. `repeated`: a duplicate. `unmatched`: no matching object.
 */
export type CallbackEffect = 'applied' | 'pending' | 'kept' | 'repeated' | 'unmatched';

export type RefusedReading = Exclude<CallbackReading['kind'], 'confirmed' | 'events'>;

/** Metrics and logs of callbacks; names and codes only. */
export interface CallbackObserver {
  /** Number of a callback's events with this effect. */
  handled(provider: string, kind: ProviderEvent['kind'], effect: CallbackEffect, count: number): void;
  refused(provider: string, cause: RefusedReading, detail: string): void;
  /** Names of reported fields that nothing here handles. */
  ignored(provider: string, fields: readonly string[]): void;
}

/** Lookups that determine the owner of an inbound message. */
export interface OwnerPorts extends Pick<SendPorts, 'globalRecipientHash'> {
  readonly messageStore: Pick<SendPorts['messageStore'], 'read'>;
  /** Our message by a provider's id of it. */
  readonly correlate: (provider: string, reference: string) => Promise<Id<'message'> | undefined>;
  /** The last messages to a recipient from a sender (`lastSentReference`), one per organization, newest first. */
  readonly lastSent: (provider: string, reference: string) => Promise<readonly LastSent[]>;
  /** The organizations that have a number, an account, an SMS sender or an RCS agent. Several may have numbers in one business account. */
  readonly ownersOf: (channel: Channel, account: string) => Promise<readonly Tenant[]>;
}

/** Ports for an SMS reply, from any provider. */
export interface SmsReplyPorts extends ReplyPorts, OwnerPorts, Pick<CallbackPorts, 'inbound' | 'optOut'> {}

export interface CallbackPorts
  extends ReplyPorts,
    Omit<OwnerPorts, 'messageStore'>,
    TakeReceiptPorts,
    Pick<KeepEarlyPorts, 'keepEarlyReceipt'> {
  readonly messageStore: SendPorts['messageStore'];
  /** The reader of a provider's callbacks; undefined if it is not set up. */
  readonly readerOf: (channel: Channel, provider: string) => Promise<CallbackReader | undefined>;
  /** Advances the last interaction of the message's contact to `at` (ms). Idempotent. */
  readonly interacted: (message: MessageRecord, at: number) => Promise<void>;
  /** Stores and publishes an event, and counts its open or click, once. False if the event was raised before. */
  readonly raise: (event: DomainEvent, engaged: Engaged) => Promise<boolean>;
  /**
   * Stores an inbound message and its effects in one transaction; `last`: the last message to its sender. `repeated` if it is already
   * stored.
   */
  readonly inbound: (tenant: Tenant, event: InboundEvent, last?: MessageRecord) => Promise<'kept' | 'repeated'>;
  /** Stores a part of a reply, and the reply once all parts have arrived. Idempotent. */
  readonly replyPart: (provider: string, event: ReplyPartEvent) => Promise<CallbackEffect>;
  /** Opts a sender who used an opt-out word out of another organization that wrote to them from the same shared sender. */
  readonly optOut: (tenant: Tenant, stop: SharedStop) => Promise<unknown>;
  /** Applies an event about a template, a number or an account in one transaction; `unmatched` if there is none. */
  readonly applyMetaEvent: (tenant: Tenant, event: MetaEvent) => Promise<'kept' | 'repeated' | 'unmatched'>;
  readonly observe: CallbackObserver;
}

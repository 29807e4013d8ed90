import type { Environment } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { Channel, RecipientKind } from '../message/channel.ts';
import type { Provider } from '../message/provider-port.ts';
import type { PriceTable } from '../pricing/prices.ts';
import type { IdempotencyRecord, MessageStore } from './message-store.ts';

/** The available providers of a route in order; or why there are none. */
export type Candidates =
  | { readonly kind: 'ready'; readonly providers: readonly Provider<unknown>[] }
  | { readonly kind: 'none'; readonly missing: string };

export interface Routing {
  candidates(
    channel: Channel,
    organizationId: Id<'organization'>,
    env: Environment,
    route: string,
  ): Promise<Candidates>;
  /** One provider's adapter, for status queries and callbacks; undefined when it is not set up. */
  provider(channel: Channel, name: string): Promise<Provider<unknown> | undefined>;
  /** Reports a call's result to the route's circuit breaker. */
  report(channel: Channel, provider: string, route: string, healthy: boolean): Promise<void>;
}

/** Ports of pricing. */
export interface QuotePorts {
  readonly clock: Clock;
  readonly prices: () => Promise<PriceTable>;
  /**
   * The organization's live volume of the month. For live an estimate, since the reservation verifies it; for test a volume with the same
   * price as the true one: `holdsUntil` returns the last volume at which the price of a volume still holds.
   */
  readonly volume: (
    organizationId: Id<'organization'>,
    env: Environment,
    month: string,
    holdsUntil: (volume: number) => number,
  ) => Promise<number>;
}

/** Ports of sends, receipts and recovery on every channel. */
export interface SendPorts extends QuotePorts {
  readonly messageStore: MessageStore;
  readonly routing: Routing;
  /** Corrects the estimate after a reservation found another volume. */
  readonly learnVolume: (organizationId: Id<'organization'>, month: string, volume: number) => void;
  /** The record of a caller's key, unless expired. */
  readonly idempotencyRecord: (
    organizationId: Id<'organization'>,
    callerKey: string,
    now: number,
  ) => Promise<IdempotencyRecord | undefined>;
  readonly recipientHashOf: (organizationId: Id<'organization'>, kind: RecipientKind, to: string) => Promise<string>;
  /** Blind index across organizations, by which the sender of a reply is looked up before its organization is known. */
  readonly globalRecipientHash: (phone: string) => Promise<string>;
  /** Enqueues a sandbox report for a time (ms). Best effort. */
  readonly enqueueSandboxReport: (messageId: Id<'message'>, at: number) => void;
  /** Enqueues recovery of a message after an ambiguous answer, for a time (ms). Best effort. */
  readonly enqueueRecovery: (messageId: Id<'message'>, at: number) => void;
  /** Raises wallet.depleted, once, when a send is refused for lack of funds. */
  readonly noteDepleted: (organizationId: Id<'organization'>, env: Environment) => Promise<void>;
  /** How long a sender may take before recovery may claim the message, in ms. */
  readonly sendDeadlineMs: number;
  /** The deployment's public URL, without a trailing slash. */
  readonly publicUrl: string;
  readonly observe: SendObserver;
}

/** Metrics and logs; ids and codes only. */
export interface SendObserver {
  /** The outcome of a send for its caller. */
  sent(
    channel: Channel,
    outcome: string,
    at: { organizationId: Id<'organization'>; messageId?: Id<'message'>; provider?: string; coins?: number },
  ): void;
  /** A provider call: its outcome and duration (ms). */
  provider(name: string, outcome: string, ms: number): void;
  /** A hold resolved by recovery. */
  resolved(
    channel: Channel,
    outcome: string,
    at: { organizationId: Id<'organization'>; messageId: Id<'message'> },
  ): void;
}

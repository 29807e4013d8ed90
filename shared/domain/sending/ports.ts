import type { Environment, Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { Channel, RecipientKind } from '../message/channel.ts';
import type { MessageRecord, QueuedMessage } from '../message/message.ts';
import type { Provider } from '../message/provider-port.ts';
import type { PriceTable } from '../pricing/prices.ts';
import type { MonthVolume, VolumeChange } from '../pricing/volume.ts';
import type { Destinations } from './destination-settings.ts';
import type { IdempotencyRecord, MessageStore } from './message-store.ts';

/** A circuit breaker. `resting`: skipped for `ms`. `probation`: one trial call is allowed. */
export type BreakerState =
  | { readonly kind: 'closed' | 'probation' }
  | { readonly kind: 'resting'; readonly ms: number };

/** The available providers of a route in order; or why there are none. */
export type Candidates =
  | {
      readonly kind: 'ready';
      readonly providers: readonly Provider<unknown>[];
      /**
       * Every provider of the route is failing: none should be called for this long, in ms. Only for purpose `send`.
       */
      readonly restMs?: number;
    }
  | { readonly kind: 'none'; readonly missing: string };

/** Chooses the providers of a send and keeps the health of their routes. */
export interface Routing {
  candidates(
    channel: Channel,
    organizationId: Id<'organization'>,
    env: Environment,
    route: string,
    /**
     * `send`: the first provider is about to be called. If its breaker rested, this call is the trial, and no other
     * call is.
     */
    purpose?: 'send',
  ): Promise<Candidates>;
  /** One provider's adapter, for status queries; undefined when it is not set up. */
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
   * price as the true one: `range` returns the volumes that have the price of a given one.
   */
  readonly volume: (
    organizationId: Id<'organization'>,
    env: Environment,
    month: string,
    range: (volume: MonthVolume) => Pick<VolumeChange, 'volumeFrom' | 'volumeTo'>,
  ) => Promise<MonthVolume>;
}

/** Ports for pricing a plan: the price table, and the organization's destinations. */
export interface RoutePorts extends Pick<QuotePorts, 'prices'> {
  /** The organization's destinations; at most ten seconds old. */
  readonly destinations: (organizationId: Id<'organization'>) => Promise<Destinations | undefined>;
  /**
   * Until when (ms) an SMS prefix is held; undefined if it is not. At most ten seconds old; only called for numbers
   * abroad.
   */
  readonly heldUntil: (organizationId: Id<'organization'>, prefix: string) => Promise<number | undefined>;
}

/** Ports of sends, receipts and recovery on every channel. */
export interface SendPorts extends QuotePorts, RoutePorts {
  readonly messageStore: MessageStore;
  readonly routing: Routing;
  /**
   * The lane of the next debit (0: the wallet's own row), and the volume to price it at if the lane has its own part of
   * the month. An estimate, which the reservation verifies.
   */
  readonly debitLane: (
    tenant: Tenant,
    of?: { readonly channel: Channel; readonly month: string },
  ) => Promise<{ readonly lane: number; readonly volume?: MonthVolume | undefined }>;
  /** Corrects the estimate after a reservation found another volume. */
  readonly learnVolume: (organizationId: Id<'organization'>, month: string, volume: MonthVolume) => void;
  /**
   * Called for a message that failed because its providers refuse the service's account; absent if nothing depends on
   * it.
   */
  readonly onAccountRefused?: (message: MessageRecord) => Promise<void>;
  /** The record of a caller's key, unless expired. */
  readonly idempotencyRecord: (
    organizationId: Id<'organization'>,
    callerKey: string,
    now: number,
  ) => Promise<IdempotencyRecord | undefined>;
  /** Whether a message's batch is undecided or being rolled back. Reads nothing for a message without a batch. */
  readonly mayBeWithdrawn: (message: MessageRecord) => Promise<boolean>;
  readonly recipientHashOf: (organizationId: Id<'organization'>, kind: RecipientKind, to: string) => Promise<string>;
  /** Blind index across organizations, by which the sender of a reply is looked up before its organization is known. */
  readonly globalRecipientHash: (phone: string) => Promise<string>;
  /** Enqueues a sandbox report for a time (ms). Best effort. */
  readonly enqueueSandboxReport: (message: QueuedMessage, at: number) => void;
  /** Enqueues recovery of a message after an ambiguous answer, for a time (ms). Best effort. */
  readonly enqueueRecovery: (message: QueuedMessage, at: number) => void;
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

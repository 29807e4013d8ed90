import type { Environment } from '../actor.ts';
import type { Id } from '../ids.ts';
import type { PriceTable } from '../pricing/prices.ts';
import type { Clock } from '../time.ts';
import type { RecipientKind } from './channel.ts';
import type { Journal, KeptPromise } from './journal.ts';
import type { Channel, Provider } from './provider.ts';

/** The providers that may carry a send, in their order; or what is missing for there to be any. */
export type Candidates =
  | { readonly kind: 'ready'; readonly providers: readonly Provider<unknown>[] }
  | { readonly kind: 'none'; readonly missing: string };

export interface Routing {
  candidates(channel: Channel, organizationId: string, env: Environment, route: string): Promise<Candidates>;
  /** The adapter of one provider, to inquire or to read a callback; undefined when it is not set up. */
  provider(channel: Channel, name: string): Promise<Provider<unknown> | undefined>;
  /** Tells the circuit breaker of the route how a call went. */
  report(channel: Channel, provider: string, route: string, healthy: boolean): Promise<void>;
}

/** What pricing needs from outside. */
export interface QuotePorts {
  readonly clock: Clock;
  readonly prices: () => Promise<PriceTable>;
  /**
   * The live month's volume of the organization. For live a guess, since the reservation proves it; for test one that prices as the
   * true one does: `holdsUntil` tells the last volume at which a volume's price still holds.
   */
  readonly volume: (
    organizationId: string,
    env: Environment,
    month: string,
    holdsUntil: (volume: number) => number,
  ) => Promise<number>;
}

/** What sends, receipts and sweeps of every channel need from outside. */
export interface SendPorts extends QuotePorts {
  readonly journal: Journal;
  readonly routing: Routing;
  /** Corrects the guess after a reservation met another volume. */
  readonly learnVolume: (organizationId: string, month: string, volume: number) => void;
  /** What is kept under a caller's key, if it has not expired. */
  readonly promise: (organizationId: string, callerKey: string, now: number) => Promise<KeptPromise | undefined>;
  readonly hashTo: (organizationId: string, kind: RecipientKind, to: string) => Promise<string>;
  /** The same for a phone whose organization is not known: what a reply's sender is looked up by. */
  readonly hashRecipient: (phone: string) => Promise<string>;
  /** Hands a sandbox outcome to its queue early; may be lost. */
  readonly hintOutcome: (messageId: Id<'message'>, at: number) => void;
  /** Hands a message whose answer was ambiguous to the resolver early; may be lost. */
  readonly hintResolve: (messageId: Id<'message'>, at: number) => void;
  /** Raises wallet.depleted once when a send is refused for lack of funds. */
  readonly noteDepleted: (organizationId: Id<'organization'>, env: Environment) => Promise<void>;
  /** How long the sender of a message may take before others resolve it, in ms. */
  readonly sendDeadlineMs: number;
  /** The deployment's public address, without a trailing slash. */
  readonly publicUrl: string;
  readonly observe: SendObserver;
}

/** Metrics and logs; ids and codes only. */
export interface SendObserver {
  /** How a send ended for its caller. */
  sent(
    channel: Channel,
    outcome: string,
    at: { organizationId: string; messageId?: string; provider?: string; coins?: number },
  ): void;
  /** How long a provider took, in ms, and what it answered. */
  provider(name: string, outcome: string, ms: number): void;
  /** A hold resolved by the sweeper. */
  resolved(channel: Channel, outcome: string, at: { organizationId: string; messageId: string }): void;
}

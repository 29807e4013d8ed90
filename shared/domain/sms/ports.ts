import type { Environment } from '../actor.ts';
import type { Id } from '../ids.ts';
import type { Journal, KeptPromise } from '../messages/journal.ts';
import type { PriceTable } from '../pricing/prices.ts';
import type { Clock } from '../time.ts';
import type { SmsProvider, SmsProviderName, SmsRoute } from './provider.ts';

/** What an account contracted. */
export interface SmsAccount {
  /** Sends per second; absent when there is no ceiling. */
  readonly smsPerSecond?: number;
}

/** The providers that may carry a send, in their order; or what is missing for there to be any. */
export type SmsCandidates =
  | { readonly kind: 'ready'; readonly providers: readonly SmsProvider[] }
  | { readonly kind: 'none'; readonly missing: string };

export interface SmsRouting {
  candidates(organizationId: string, env: Environment, route: SmsRoute): Promise<SmsCandidates>;
  /** The adapter of one provider, to inquire or to read a callback; undefined when it is not set up. */
  provider(name: SmsProviderName): Promise<SmsProvider | undefined>;
  /** Tells the circuit breaker of the route how a call went. */
  report(provider: SmsProviderName, route: SmsRoute, healthy: boolean): Promise<void>;
}

/** What sends, receipts and sweeps need from outside. */
export interface SmsPorts {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly routing: SmsRouting;
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
  /** Corrects the guess after a reservation met another volume. */
  readonly learnVolume: (organizationId: string, month: string, volume: number) => void;
  readonly account: (organizationId: string) => Promise<SmsAccount>;
  /** What is kept under a caller's key, if it has not expired. */
  readonly promise: (organizationId: string, callerKey: string, now: number) => Promise<KeptPromise | undefined>;
  readonly hashPhone: (organizationId: string, phone: string) => Promise<string>;
  /** The same for a recipient whose organization is not known: what a reply's sender is looked up by. */
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
  readonly observe: SmsObserver;
}

/** Metrics and logs; ids and codes only. */
export interface SmsObserver {
  /** How a send ended for its caller. */
  sent(outcome: string, at: { organizationId: string; messageId?: string; provider?: string; coins?: number }): void;
  /** How long a provider took, in ms, and what it answered. */
  provider(name: SmsProviderName, outcome: string, ms: number): void;
  /** A hold resolved by the sweeper. */
  resolved(outcome: string, at: { organizationId: string; messageId: string }): void;
}

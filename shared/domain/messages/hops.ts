import type { Environment } from '../actor.ts';
import type { Id } from '../ids.ts';
import type { UnifiedRequest } from './unified.ts';

/** One way that is tried when the one before did not deliver. */
export interface Hop extends UnifiedRequest {
  /** How long the message before it is waited for, in ms. */
  readonly afterMs: number;
  /** The hop is left out when it would cost more. */
  readonly maxCoins?: number | undefined;
  /** What it would have cost when the chain was accepted. */
  readonly coins?: number | undefined;
}

/** In the place of a chain's `waitUntil`: a hop was left out, so the next one is taken at once. */
export const NO_WAIT = 0;

/** A message's fallbacks (interface 4.0): tried in order, each billed at its own rate, none once one delivered. */
export interface Chain {
  /** The id of its first message. */
  readonly id: Id<'message'>;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly hops: readonly Hop[];
  /** The hop that comes next. */
  readonly next: number;
  /** The message that is waited for, and until when, in ms, if it leaves at its moment; or NO_WAIT. */
  readonly current: Id<'message'>;
  readonly waitUntil: number;
  readonly state: 'waiting' | 'delivered' | 'exhausted' | 'cancelled';
}

/** The step to a hop: it holds only where the chain still stands as `chain` says and its current message has not arrived. */
export interface ChainStep {
  readonly chain: Chain;
  readonly waitUntil: number;
}

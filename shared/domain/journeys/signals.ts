import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { CustomerEvent } from '../customer-events/customer-event.ts';
import type { InboundMessage } from '../message/inbound-message.ts';
import type { RunSignal } from '../message/run-signal.ts';

/** Tags added to a contact that journeys use as triggers. Times in ms. */
export interface TaggedContact extends Tenant {
  readonly contactId: Id<'contact'>;
  /** The contact's version with these tags. */
  readonly version: number;
  readonly tags: readonly string[];
  readonly at: number;
}

/**
 * A notification for journeys, stored in the transaction of its cause and due until it is processed: an outcome of a message that a run
 * waits for, a customer event, an inbound message, or tags, each of one contact.
 */
export type JourneySignal =
  | { readonly kind: 'message'; readonly signal: RunSignal }
  | { readonly kind: 'event'; readonly event: CustomerEvent }
  | { readonly kind: 'tags'; readonly tagged: TaggedContact }
  | { readonly kind: 'inbound'; readonly message: InboundMessage };

/** The key of a signal's row, as its work item contains it. */
export interface SignalKey {
  readonly pk: string;
  readonly sk: string;
}

/** The signals of a stage. Delivered at least once until `done`, in any order: consumers must tolerate repeats. */
export interface JourneySignals {
  /** The signal of a work item; undefined once it is done. Strongly consistent. */
  read(key: SignalKey): Promise<JourneySignal | undefined>;
  /** Marks a signal as processed: it is no longer due. */
  done(key: SignalKey): Promise<void>;
}

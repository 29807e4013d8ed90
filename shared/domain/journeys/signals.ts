import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { CustomerEvent } from '../customer-events/customer-event.ts';
import type { InboundMessage } from '../message/inbound-message.ts';
import type { RunSignal } from '../message/run-signal.ts';

/** Tags that were put on a contact, and that journeys ask for. Times in ms. */
export interface TaggedContact extends Tenant {
  readonly contactId: Id<'contact'>;
  /** The version that the contact had with them. */
  readonly version: number;
  readonly tags: readonly string[];
  readonly at: number;
}

/**
 * What journeys are to be told of, stored with it in one transaction and due until they were: what became of a message that a run waits for, a customer
 * event, an inbound message, and tags, all of a contact.
 */
export type JourneySignal =
  | { readonly kind: 'message'; readonly signal: RunSignal }
  | { readonly kind: 'event'; readonly event: CustomerEvent }
  | { readonly kind: 'tags'; readonly tagged: TaggedContact }
  | { readonly kind: 'inbound'; readonly message: InboundMessage };

/** The row of a signal, as its work item points to it. */
export interface SignalKey {
  readonly pk: string;
  readonly sk: string;
}

/** The signals of a stage. Whoever is told may be told again until `done`: repeats and any order must be harmless. */
export interface JourneySignals {
  /** The signal of a work item; undefined once it is done. Strongly consistent. */
  read(key: SignalKey): Promise<JourneySignal | undefined>;
  /** Journeys were told: the signal is due no more. */
  done(key: SignalKey): Promise<void>;
}

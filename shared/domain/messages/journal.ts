import type { DomainEvent } from '../events/event.ts';
import type { Id } from '../ids.ts';
import type { RecipientKind } from './channel.ts';
import type { Chain, ChainStep } from './hops.ts';
import type { Decision, MessageRecord, MessageStatus } from './message.ts';
import type { ProviderReceipt } from './provider.ts';

/** What a send asks for in one transaction: everything of it happens, or nothing. */
export interface Reservation {
  /** `sending` for a send whose caller waits, `queued` for one that leaves at its `deadline`. */
  readonly message: MessageRecord;
  /** SHA-256 of what makes two requests the same. */
  readonly requestHash: string;
  /** Live only: the units that move the month's volume, and the volumes for which the price is right. */
  readonly volume?: { readonly month: string; readonly units: number; readonly from: number; readonly to: number };
  /** Whose opt-out forbids it. */
  readonly consent: {
    readonly contactId?: Id<'contact'>;
    readonly recipient: RecipientKind;
    readonly toHash: string;
    readonly mayOptOut: boolean;
  };
  /** Sends that the account contracted per second; absent when it has no ceiling. */
  readonly perSecond?: number;
  readonly links: readonly { readonly code: string; readonly url: string }[];
  readonly events?: readonly DomainEvent[];
  /** The message that it replaces, as it was read: archived with it, and its hold given back when it was still queued. */
  readonly original?: MessageRecord | undefined;
  /** What leaves of a queued message besides what is kept of it. */
  readonly body?: string | undefined;
  /** The chain that begins with this message; or the step to it, of the chain that it is a hop of. */
  readonly chain?: Chain | undefined;
  readonly step?: ChainStep | undefined;
}

/** A promise kept under a caller's key. */
export interface KeptPromise {
  readonly messageId: Id<'message'>;
  readonly requestHash: string;
}

export type ReserveOutcome =
  | { readonly kind: 'reserved' }
  | { readonly kind: 'kept'; readonly promise: KeptPromise }
  | { readonly kind: 'opted_out' }
  | { readonly kind: 'unknown_contact' }
  | { readonly kind: 'insufficient' }
  | { readonly kind: 'ceiling' }
  /** The message that it was to replace left or was replaced meanwhile. */
  | { readonly kind: 'original_moved' }
  /** The chain that the message is a hop of went on without it. */
  | { readonly kind: 'overtaken' }
  /** The month's volume left the range of the quote: quote again from here. */
  | { readonly kind: 'volume_moved'; readonly volume: number };

/** How a hold ended well. */
export interface Settlement {
  readonly at: number;
  readonly provider: string;
  readonly providerMessageId: string;
  readonly decisions: readonly Decision[];
  /** A sandbox send's outcome is due at this moment, in ms. */
  readonly outcomeAt?: number;
  /** What the provider will quote in callbacks that do not carry our id. */
  readonly correlations: readonly string[];
  readonly events: readonly DomainEvent[];
}

/** How a hold was given back. */
export interface Release {
  readonly at: number;
  readonly reason?: string;
  readonly lastError: string;
  readonly decisions: readonly Decision[];
  /** Whether the caller's key is free again: true where it is certain that nothing was sent. */
  readonly freeKey: boolean;
  readonly events: readonly DomainEvent[];
  /** True where its whole chunk of a batch is taken back: the coins of all of its messages come back as one, when its escrow closes. */
  readonly withChunk?: boolean;
}

/** A step of a message after its hold is resolved. */
export interface Advance {
  /** When it happened, in ms: the provider's word where it gives one. */
  readonly at: number;
  /** When it is recorded, in ms. */
  readonly recordedAt: number;
  /** Absent when only the receipt is news. */
  readonly status?: MessageStatus;
  readonly reason?: string | undefined;
  readonly via?: 'rcs' | 'sms' | undefined;
  readonly receipt?: ProviderReceipt | undefined;
  readonly decisions: readonly Decision[];
  readonly events: readonly DomainEvent[];
  /** The parked receipt that is applied by this step. */
  readonly receiptFingerprint?: string;
  /** A sandbox send's next report is due at this moment, in ms. */
  readonly outcomeAt?: number | undefined;
}

/**
 * Where messages and their money are kept. Every method is one conditional transaction; a repeat of one whose
 * answer was lost has the same outcome.
 */
export interface Journal {
  reserve(reservation: Reservation): Promise<ReserveOutcome>;
  /** Takes a queued message whose time has come for this sender until `deadline` (ms), naming whom it asks first; undefined when it is not to leave, or another has it. */
  begin(message: MessageRecord, provider: string, now: number, deadline: number): Promise<MessageRecord | undefined>;
  /** Captures the hold. False when another fence resolved it or holds it now. */
  settle(message: MessageRecord, settlement: Settlement): Promise<boolean>;
  /** Releases the hold, once. False when another fence resolved it or holds it now. */
  release(message: MessageRecord, release: Release): Promise<boolean>;
  /** Marks the provider's answer as ambiguous, under the fence; asks for a resolution at `deadline`. */
  markUncertain(message: MessageRecord, at: number, deadline: number, decision: Decision): Promise<boolean>;
  /** Names another provider before it is called, so that whoever resolves the hold asks the right one. */
  reroute(message: MessageRecord, provider: string, decision: Decision): Promise<boolean>;
  /** Raises the fence if the hold is open and past its deadline; the record under the new fence, or undefined. */
  takeOver(message: MessageRecord, now: number, deadline: number): Promise<MessageRecord | undefined>;
  /** Moves a resolved message on, if it still stands as `message` says. False when it moved meanwhile. */
  advance(message: MessageRecord, step: Advance): Promise<boolean>;
  read(id: string): Promise<MessageRecord | undefined>;
}

import type { SentCounts } from '../contacts/frequency.ts';
import type { Id } from '../core/ids.ts';
import type { Coins } from '../core/money.ts';
import type { DomainEvent } from '../events/event.ts';
import type { RecipientKind } from '../message/channel.ts';
import type { Fallback, StepTransition } from '../message/fallback.ts';
import type { Decision, MessageRecord, MessageStatus } from '../message/message.ts';
import type { ProviderReceipt } from '../message/provider-port.ts';
import type { PriceRow } from '../pricing/prices.ts';
import type { MonthVolume, VolumeChange } from '../pricing/volume.ts';
import type { CountedSend } from './frequency.ts';

/** Everything that is written in one transaction to accept a message. */
export interface Reservation {
  /** `sending` while the caller waits, `queued` for a message that is sent at its `deadline`. */
  readonly message: MessageRecord;
  /** SHA-256 of operation and body. */
  readonly requestHash: string;
  /** How long its key is kept, in ms; 24 hours when absent. */
  readonly keepMs?: number | undefined;
  /** No record of its key is stored: the message's own row shows whether it was accepted. */
  readonly unrepeatable?: true | undefined;
  /** Live only: its change of the month's volume. */
  readonly volume?: { readonly month: string; readonly change: VolumeChange; readonly price: PriceRow };
  /** The recipient whose opt-out forbids the send. */
  readonly consent: {
    readonly contactId?: Id<'contact'>;
    readonly recipient: RecipientKind;
    readonly recipientHash: string;
    readonly requiresConsent: boolean;
  };
  /** The contracted sends per second; absent without a limit. */
  readonly perSecond?: number;
  /** Counts it for its contact's frequency caps; absent if it does not count. */
  readonly count?: CountedSend | undefined;
  readonly links: readonly { readonly code: string; readonly url: string }[];
  readonly events?: readonly DomainEvent[];
  /** The message that it replaces, as it was read: archived in the same transaction, its hold released if it was still queued. */
  readonly original?: MessageRecord | undefined;
  /** The content of a queued message, if it differs from the stored content. */
  readonly body?: string | undefined;
  /** The fallback that begins with this message; `transition`: the step of an existing fallback to this message. */
  readonly fallback?: Fallback | undefined;
  readonly transition?: StepTransition | undefined;
}

/** The record of a caller's idempotency key. */
export interface IdempotencyRecord {
  /** Absent if the key is of a bulk resend, which has a batch instead. */
  readonly messageId?: Id<'message'>;
  readonly requestHash: string;
}

/** The result of a reservation; all kinds but `reserved` stored nothing. */
export type ReserveOutcome =
  | { readonly kind: 'reserved' }
  | { readonly kind: 'key_taken'; readonly idempotencyRecord: IdempotencyRecord }
  | { readonly kind: 'opted_out' }
  | { readonly kind: 'unknown_contact' }
  | { readonly kind: 'insufficient' }
  | { readonly kind: 'ceiling' }
  /** Another send to the contact was counted meanwhile: check again with these counts. */
  | { readonly kind: 'counts_changed'; readonly counts: SentCounts }
  /** The message to replace was sent or replaced meanwhile. */
  | { readonly kind: 'original_changed' }
  /** The fallback moved on without this step. */
  | { readonly kind: 'superseded' }
  /** The parts of the message changed since they were read. */
  | { readonly kind: 'parts_changed' }
  /** The month's volume changed since the price was computed: quote again with this one. */
  | { readonly kind: 'volume_changed'; readonly volume: MonthVolume }
  /** Its lane was busy or empty: choose a lane and quote again; with `root`, the wallet's own row. */
  | { readonly kind: 'moved'; readonly root?: boolean };

/** Captures a hold. */
export interface Settlement {
  readonly at: number;
  readonly provider: string;
  readonly providerMessageId: string;
  readonly decisions: readonly Decision[];
  /** When the sandbox's first report is due, in ms. */
  readonly outcomeAt?: number;
  /** References that the provider uses in callbacks without our id. */
  readonly correlations: readonly string[];
  /** The reference under which replies find the message as the organization's last to its recipient. */
  readonly lastSent?: string | undefined;
  readonly events: readonly DomainEvent[];
}

/** Releases a hold. */
export interface Release {
  readonly at: number;
  readonly reason?: string;
  readonly lastError: string;
  readonly decisions: readonly Decision[];
  /** Whether the refusal is returned to the caller: the parts of a concatenated message may then be completed again. */
  readonly toCaller?: boolean;
  /** Whether it is certain that nothing was sent. */
  readonly certain: boolean;
  /** Whether the caller's key may be used again: nothing was sent, and its caller was not answered that it was accepted. */
  readonly freeKey: boolean;
  readonly events: readonly DomainEvent[];
  /**
   * True if its whole chunk of a batch is withdrawn: it is treated as never created, and the coins are refunded once,
   * when the escrow closes.
   */
  readonly withChunk?: boolean;
}

/** A change of a message after its hold is resolved. */
export interface Advance {
  /** When it happened, in ms, by the provider's clock if it reports one. */
  readonly at: number;
  /** When it is recorded, in ms. */
  readonly recordedAt: number;
  /** Absent when only the receipt is new. */
  readonly status?: MessageStatus;
  readonly reason?: string | undefined;
  /** The carrier, if this change is the first to name it. */
  readonly via?: 'rcs' | 'sms' | undefined;
  /** Coins to refund because the cheaper carrier was used. */
  readonly refund?: Coins | undefined;
  readonly receipt?: ProviderReceipt | undefined;
  readonly decisions: readonly Decision[];
  readonly events: readonly DomainEvent[];
  /** The pending receipt that is applied, and deleted, by this change. */
  readonly receiptFingerprint?: string;
  /** When the sandbox's next report is due, in ms. */
  readonly outcomeAt?: number | undefined;
}

/**
 * Storage of messages and their holds. Every write is one conditional transaction, and idempotent if its response was
 * lost.
 */
export interface MessageStore {
  reserve(reservation: Reservation): Promise<ReserveOutcome>;
  /** The counts for a contact's frequency caps. One consistent read. */
  sentTo(contactId: Id<'contact'>): Promise<SentCounts>;
  /** Claims a due message for its first provider until `deadline` (ms), under a new fence; undefined when it is not due or already claimed. */
  claimQueued(
    message: MessageRecord,
    provider: string,
    now: number,
    deadline: number,
  ): Promise<MessageRecord | undefined>;
  /** Captures the hold. False when the fence was raised or the hold resolved otherwise. */
  settle(message: MessageRecord, settlement: Settlement): Promise<boolean>;
  /** Releases the hold, once. False when the fence was raised or the hold resolved otherwise. */
  release(message: MessageRecord, release: Release): Promise<boolean>;
  /**
   * Releases the holds of messages of one chunk in one transaction; their coins return with the chunk. False, without
   * any effect, if one of them was resolved otherwise.
   */
  releaseBatch(releases: readonly { readonly message: MessageRecord; readonly release: Release }[]): Promise<boolean>;
  /** Records an ambiguous provider answer, under the fence; recovery is due at `deadline` (ms). */
  markUncertain(message: MessageRecord, at: number, deadline: number, decision: Decision): Promise<boolean>;
  /** Records another provider before it is called, so that recovery queries the right one. */
  reroute(message: MessageRecord, provider: string, decision: Decision): Promise<boolean>;
  /** Raises the fence of an open hold past its deadline; the record under the new fence, or undefined. */
  claimExpired(message: MessageRecord, now: number, deadline: number): Promise<MessageRecord | undefined>;
  /** Changes a resolved message if it is unchanged since `message` was read. False otherwise. */
  advance(message: MessageRecord, transition: Advance): Promise<boolean>;
  read(id: Id<'message'>): Promise<MessageRecord | undefined>;
}

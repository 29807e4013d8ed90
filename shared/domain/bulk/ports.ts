import type { AutomatedRequest } from '../api/automated-send.ts';
import type { V1SendRequest } from '../api/v1-send.ts';
import type { SentCounts } from '../contacts/frequency.ts';
import type { Tenant } from '../core/actor.ts';
import type { Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { DomainEvent } from '../events/event.ts';
import type { MessageRecord } from '../message/message.ts';
import type { SubmitPorts } from '../sending/accept.ts';
import type { AutomatedSend } from '../sending/automated.ts';
import type { RequestKey } from '../sending/idempotency.ts';
import type { IdempotencyRecord } from '../sending/message-store.ts';
import type { SendPlan } from '../sending/plan.ts';
import type { SendQueuedPorts } from '../sending/send-queued.ts';
import type { UnifiedStatus } from '../tracking/views.ts';
import type { Chunk, ChunkOutcome, ChunkReservation, EscrowSums } from './chunk.ts';

/** One message of a bulk send: the body of /v1/messages, and the key that makes it repeatable. */
export type BulkMessage = V1SendRequest & { readonly idempotencyKey?: string | undefined };

/** A parsed message of a request or of a campaign, or the raw value of an invalid one. */
export type BulkEntry =
  | { readonly valid: BulkMessage }
  | { readonly valid: AutomatedRequest; readonly automated: AutomatedSend }
  | { readonly invalid: unknown };

/** A batch is decided once, from pending to accepted or rejected; a bulk resend's starts as accepted. */
export type BatchState = 'pending' | 'accepted' | 'rejected';

/** How long a batch may stay undecided, in ms; after that, any process that finds it rejects it. */
export const DECISION_TIMEOUT_MS = 60_000;

/** A stored batch, with the totals of its response. */
export interface Batch {
  readonly id: Id<'batch'>;
  readonly organizationId: Id<'organization'>;
  readonly state: BatchState;
  readonly total: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly chunks: number;
  /** Number of rows that list its messages outside of chunks. */
  readonly others: number;
  readonly createdAt: number;
}

/** The batch as refused as a whole. */
export const rejected = (batch: Batch): Batch => ({ ...batch, state: 'rejected', accepted: 0, rejected: batch.total });

/** The fields that identify a chunk and its owner. */
export type ChunkKey = Pick<Chunk, 'organizationId' | 'batchId' | 'chunk'>;

/** Storage of batches, chunks and their escrows. Every write is conditional, and idempotent if its response was lost. */
export interface BatchStore {
  /** Stores a chunk's messages and their one debit, in one transaction. */
  reserveChunk(reservation: ChunkReservation): Promise<ChunkOutcome>;
  /** The counts for the frequency caps of contacts, in their order. */
  sentTo(contactIds: readonly Id<'contact'>[]): Promise<readonly SentCounts[]>;
  readChunk(batchId: Id<'batch'>, chunk: number): Promise<Chunk | undefined>;
  readMessages(ids: readonly Id<'message'>[]): Promise<readonly MessageRecord[]>;
  /** Raises the events of a chunk's acceptance and makes it due again at `until` (ms). */
  announceChunk(chunk: Chunk, events: readonly DomainEvent[], at: number, until: number): Promise<void>;
  /** Records that all due messages were sent; the escrow is checked at `checkAt` (ms). */
  markSent(chunk: Chunk, leftAt: number, checkAt: number): Promise<void>;
  readEscrow(chunk: Chunk): Promise<EscrowSums>;
  /**
   * Refunds released coins that are not refunded yet, once, and closes the escrow when all messages are resolved. False when the escrow
   * was settled since the chunk was read.
   */
  settleEscrow(chunk: Chunk, sums: EscrowSums, at: number): Promise<boolean>;
  /** Stores a new batch; leaves one that is stored as it is. */
  putBatch(batch: Batch): Promise<void>;
  /**
   * The messages that replace these in a batch, in their order; undefined for one that the batch did not resend. The messages themselves
   * show it, also where the answer to a write was lost or a key was freed. Two round trips per 100.
   */
  resentIn(batchId: Id<'batch'>, originals: readonly Id<'message'>[]): Promise<readonly (Id<'message'> | undefined)[]>;
  /**
   * Stores the totals of a bulk resend and the messages that it accepted, unless more are stored: of concurrent calls with one key, the one
   * that saw more accepted counts.
   */
  recordResent(batch: Batch, messages: readonly Id<'message'>[]): Promise<void>;
  /** Decides a pending batch. False if it was already decided otherwise. */
  decideBatch(batch: Batch, others: readonly Id<'message'>[]): Promise<boolean>;
  readBatch(id: Id<'batch'>): Promise<Batch | undefined>;
  /** Number of a batch's messages per status. */
  countBatch(batch: Batch): Promise<Readonly<Record<UnifiedStatus, number>>>;
}

/** A call under a caller's key. */
export interface KeyedCall {
  /** The batch of the first call; of a bulk send, of the latest call that began to reserve messages. */
  readonly batchId: Id<'batch'>;
  /** The time of the first call (ms): the key is kept from then on. */
  readonly createdAt: number;
  /** The messages that the filter of a bulk resend selected, in order; otherwise empty. */
  readonly selected: readonly Id<'message'>[];
}

/** The record of a caller's key; without `call` if an operation on a single message used it. */
export interface BatchKeyRecord {
  readonly requestHash: string;
  readonly call?: KeyedCall;
}

/** Storage of the keys of bulk sends and resends, in the namespace of all callers' keys. Every write is conditional. */
export interface BatchKeys {
  read(organizationId: Id<'organization'>, callerKey: string, now: number): Promise<BatchKeyRecord | undefined>;
  /**
   * Stores the call of a key that has no record, or whose record has the batch `after`. Returns the record that the key has then: another
   * call's if that came first.
   */
  take(
    organizationId: Id<'organization'>,
    key: Pick<RequestKey, 'callerKey' | 'requestHash'>,
    call: KeyedCall,
    after?: Id<'batch'>,
  ): Promise<BatchKeyRecord>;
  /** Frees a key whose record still has this batch. */
  free(organizationId: Id<'organization'>, callerKey: string, batchId: Id<'batch'>): Promise<void>;
}

/** Ports of bulk sends. */
export interface BulkPorts extends SubmitPorts {
  readonly store: BatchStore;
  readonly batchKeys: BatchKeys;
  /** The validation errors of an invalid message. */
  readonly contractRefusal: (invalid: unknown) => Refusal<'VALIDATION_ERROR'>;
  /** The records of callers' keys, in order; undefined if there is none. */
  readonly idempotencyRecords: (
    organizationId: Id<'organization'>,
    keys: readonly string[],
    now: number,
  ) => Promise<readonly (IdempotencyRecord | undefined)[]>;
  /** Why consent forbids each plan, in order; undefined if it does not. */
  readonly consentFaults: (
    tenant: Tenant,
    plans: readonly { readonly plan: SendPlan; readonly recipientHash: string }[],
  ) => Promise<readonly ('opted_out' | 'unknown_contact' | undefined)[]>;
  /** Enqueues a chunk for a time (ms). Best effort: lost work items are found by their due row. */
  readonly enqueueChunk: (chunk: ChunkKey, at: number) => void;
}

/** Ports of the chunk consumer. */
export interface ChunkPorts extends SendQueuedPorts {
  readonly store: BatchStore;
  readonly enqueueChunk: (chunk: ChunkKey, at: number) => void;
}

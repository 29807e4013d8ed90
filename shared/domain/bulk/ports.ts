import type { Actor } from '../actor.ts';
import type { Refusal } from '../errors.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Id } from '../ids.ts';
import type { KeptPromise } from '../messages/journal.ts';
import type { LeavePorts } from '../messages/leave.ts';
import type { MessageRecord } from '../messages/message.ts';
import type { OverviewRequest } from '../messages/overview.ts';
import type { SendPlan, Tenant } from '../messages/plan.ts';
import type { SubmitPorts } from '../messages/submit.ts';
import type { UnifiedStatus } from '../messages/views.ts';
import type { Chunk, ChunkOutcome, ChunkReservation, EscrowSums } from './chunk.ts';

/** One message of a bulk send: the body of /v1/messages, and the key that makes it repeatable. */
export type BulkMessage = OverviewRequest & { readonly idempotencyKey?: string | undefined };

/** A message of a request as it was read, or what came instead of one. */
export type BulkEntry = { readonly read: BulkMessage } | { readonly broken: unknown };

/** Whether a batch as a whole stands: decided once. */
export type BatchState = 'pending' | 'accepted' | 'rejected';

/** A batch as its answer told it. */
export interface Batch {
  readonly id: Id<'batch'>;
  readonly organizationId: Id<'organization'>;
  readonly state: BatchState;
  readonly total: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly chunks: number;
  /** Rows that name its messages outside of its chunks. */
  readonly others: number;
  readonly createdAt: number;
}

/** Where batches and the money of their chunks are kept. Every method is one conditional write; a repeat whose answer was lost has the same outcome. */
export interface BatchStore {
  /** The debit of all of its messages, with them, in one transaction. */
  reserveChunk(reservation: ChunkReservation): Promise<ChunkOutcome>;
  readChunk(batchId: string, chunk: number): Promise<Chunk | undefined>;
  readMessages(ids: readonly string[]): Promise<readonly MessageRecord[]>;
  /** Raises the events of its acceptance, and moves its next moment (ms). */
  takeChunk(chunk: Chunk, events: readonly DomainEvent[], at: number, until: number): Promise<void>;
  /** All of its messages left: it is looked at again at a moment (ms). */
  letGo(chunk: Chunk, leftAt: number, lookAt: number): Promise<void>;
  readEscrow(chunk: Chunk): Promise<EscrowSums>;
  /**
   * Gives back to the wallet what of the released coins is not back yet, once; with all of its messages resolved the escrow is closed by
   * it. False when it was settled otherwise since the chunk was read.
   */
  settleEscrow(chunk: Chunk, sums: EscrowSums, at: number): Promise<boolean>;
  putBatch(batch: Batch, others: readonly string[]): Promise<void>;
  /** Decides on a pending batch. False when it was decided otherwise before. */
  decideBatch(batch: Batch, others: readonly string[]): Promise<boolean>;
  readBatch(id: string): Promise<Batch | undefined>;
  /** How many of a batch's messages stand where. */
  countBatch(batch: Batch): Promise<Readonly<Record<UnifiedStatus, number>>>;
}

export interface BulkPorts extends SubmitPorts {
  readonly store: BatchStore;
  /** What is wrong with what is no message of the contract. */
  readonly faultOf: (broken: unknown) => Refusal<'VALIDATION_ERROR'>;
  /** What is kept under callers' keys, in their order; undefined where nothing is. */
  readonly promises: (
    organizationId: string,
    keys: readonly string[],
    now: number,
  ) => Promise<readonly (KeptPromise | undefined)[]>;
  /** Why the consent on file refuses each plan; undefined where it does not. */
  readonly consentFaults: (
    tenant: Tenant,
    plans: readonly { readonly plan: SendPlan; readonly toHash: string }[],
  ) => Promise<readonly ('opted_out' | 'unknown_contact' | undefined)[]>;
  /** Hands a chunk to its queue at a moment (ms); may be lost. */
  readonly hintChunk: (batchId: string, chunk: number, at: number) => void;
}

/** What the consumer of chunks needs. */
export interface ChunkPorts extends LeavePorts {
  readonly store: BatchStore;
  readonly hintChunk: (batchId: string, chunk: number, at: number) => void;
}

export type BulkActor = Pick<Actor, 'organizationId' | 'env'>;

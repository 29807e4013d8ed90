import type { PushPlanPorts } from '../channels/push/content.ts';
import type { PushCredentials } from '../channels/push/credentials.ts';
import type { AudienceDevice, PushDevice } from '../channels/push/device.ts';
import type { DispatchStatus, FailureReason, PushChunk, PushDispatchRecord } from '../channels/push/dispatch.ts';
import type { Opens, PushMessage, Tally } from '../channels/push/message.ts';
import type { PushTransport } from '../channels/push/transport.ts';
import type { Environment } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { Coins } from '../core/money.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Decision, MessageOf, QueuedMessage } from '../message/message.ts';
import type { PriceTable } from '../pricing/prices.ts';
import type { SendPorts } from '../sending/ports.ts';
import type { AudienceSource } from './audience.ts';

/** A lease on a caller's key while its message is being created. */
export interface Claim {
  readonly organizationId: Id<'organization'>;
  readonly callerKey: string;
  readonly requestHash: string;
  readonly messageId: Id<'message'>;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}
export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  /** Another attempt holds the lease until then, in ms. */
  | { readonly kind: 'running'; readonly until: number }
  /** An earlier call created the message. */
  | { readonly kind: 'created'; readonly messageId: Id<'message'> }
  /** Another request used the key. */
  | { readonly kind: 'reused' };

export type CommitOutcome = 'committed' | 'insufficient' | 'superseded';

/** A push message to an audience that is about to be committed, with the events that it raises. */
export interface NewPush {
  readonly message: MessageOf<'push'>;
  readonly events: readonly DomainEvent[];
}

/** The owner of a chunk to write; `record` if the message is already stored. */
export type ChunkOwner = Pick<PushMessage, 'organizationId' | 'createdAt'> & Partial<Pick<PushMessage, 'record'>>;

/** Creates a push message: first its rows, which are not visible yet, then message, hold and idempotency record in one transaction. */
export interface PushCreationStore {
  /** Leases a caller's key to an attempt until `until` (ms); the same request resumes an attempt whose lease expired. */
  claim(key: Omit<Claim, 'messageId' | 'attempt'>, now: number, until: number): Promise<ClaimOutcome>;
  /** Releases the lease: `free` makes the key unused again, `resumable` lets the next attempt continue at once. */
  releaseClaim(claim: Claim, now: number, next: 'free' | 'resumable'): Promise<void>;
  /** The chunks that the attempts at a message have written so far. */
  chunks(messageId: Id<'message'>): Promise<readonly PushChunk[]>;
  /**
   * Writes the rows of a chunk's devices, then the chunk. `found`: an earlier call of the attempt wrote it, perhaps this one, whose answer was
   * lost; `superseded`: another attempt did.
   */
  putChunk(
    chunk: PushChunk,
    message: ChunkOwner,
    devices: readonly AudienceDevice[],
  ): Promise<'written' | 'found' | 'superseded'>;
  commit(push: NewPush, claim: Claim): Promise<CommitOutcome>;
  read(organizationId: Id<'organization'>, id: Id<'message'>): Promise<PushMessage | undefined>;
}

/** The outcome of one device in a pass; `queued`: it is retried in the next pass. */
export interface SettledDispatch {
  readonly dispatch: PushDispatchRecord;
  readonly status: DispatchStatus;
  readonly reason?: FailureReason | undefined;
}

/** The outcomes that end a message with one chunk; `chunk` is as it was before them. */
export interface LastOutcomes {
  readonly chunk: PushChunk;
  readonly settled: readonly SettledDispatch[];
}

/** Storage for sending push messages. Every write is conditional on the fence: repeats, and workers that lost their claim, change nothing. */
export interface PushSendStore {
  message(id: Id<'message'>): Promise<PushMessage | undefined>;
  chunks(message: PushMessage): Promise<readonly PushChunk[]>;
  chunk(messageId: Id<'message'>, shard: number, number: number): Promise<PushChunk | undefined>;
  dispatches(chunk: PushChunk): Promise<readonly PushDispatchRecord[]>;
  /**
   * Claims a chunk as it was read, under a new fence, and with it the devices before the cursor; undefined when another worker holds it, or
   * has changed it since.
   */
  claim(chunk: PushChunk, now: number, next: Pick<PushChunk, 'cursor' | 'leaseUntil'>): Promise<PushChunk | undefined>;
  /** Writes the outcomes of a group with their counts, and claims the next group by moving the cursor; undefined when the claim is lost. */
  settle(
    chunk: PushChunk,
    settled: readonly SettledDispatch[],
    next: Pick<PushChunk, 'cursor' | 'leaseUntil'>,
  ): Promise<PushChunk | undefined>;
  /** Ends the claim until `nextAt` (ms). False when the claim was lost. */
  pause(chunk: PushChunk, next: Pick<PushChunk, 'pass' | 'cursor' | 'nextAt'>): Promise<boolean>;
  /** Marks a chunk as done; returns how many of the message's chunks are done, or undefined when the claim is lost. */
  finish(chunk: PushChunk): Promise<number | undefined>;
  /** Writes the devices of a message to a person, and their chunk. Idempotent. */
  putChunk: PushCreationStore['putChunk'];
  /** Schedules the next check of a message that is being sent (ms). */
  scheduleCheck(message: PushMessage, at: number): Promise<void>;
  /**
   * Ends a message: settles its hold, raises its event and notifies its fallback, once. `last`: the outcomes of its only chunk's last devices,
   * written with it, and the chunk is done, provided that its lease still holds. False if nothing was written.
   */
  close(message: PushMessage, outcome: PushOutcome, last?: LastOutcomes): Promise<boolean>;
}

/** The outcome of a push message; `captured` is the price of the devices that accepted it, the rest of its hold is released. */
export interface PushOutcome {
  readonly status: 'sent' | 'failed';
  readonly reason?: string | undefined;
  readonly lastError?: string | undefined;
  /** Whether it is certain that nothing was sent. */
  readonly certain: boolean;
  readonly tally: Tally;
  readonly captured: Coins;
  readonly at: number;
  readonly decisions: readonly Decision[];
  readonly events: readonly DomainEvent[];
}

export interface QuietPorts {
  readonly clock: Clock;
  /** The earliest time (ms) at which a push of the organization may be sent; `at` itself outside of quiet hours. */
  readonly earliestSendAt: (organizationId: Id<'organization'>, at: number) => Promise<number>;
}

export interface PricePorts {
  readonly prices: () => Promise<PriceTable>;
  readonly audiences: AudienceSource;
}

/** Ports of creating push messages. */
export interface CreatePushPorts extends QuietPorts, PricePorts {
  readonly creation: PushCreationStore;
  /** The available balance, in coins. */
  readonly balance: (organizationId: Id<'organization'>) => Promise<number>;
  readonly noteDepleted: (organizationId: Id<'organization'>, env: Environment) => Promise<void>;
  readonly recipientHashOf: SendPorts['recipientHashOf'];
  readonly sendDeadlineMs: number;
  /** Enqueues a queued message for a time (ms). Best effort: lost work items are found by their due row. */
  readonly enqueueSend: (message: QueuedMessage, at: number) => void;
}

export interface PushStatsReader {
  /** Delivery counts and opens of messages, in order. */
  statsOf(messages: readonly PushMessage[]): Promise<readonly { readonly tally: Tally; readonly opens: Opens }[]>;
}

/** Ports of sending push messages. */
export interface SendPushPorts extends Pick<PushPlanPorts, 'deniedContacts'> {
  readonly clock: Clock;
  readonly sender: PushSendStore;
  readonly transport: () => Promise<PushTransport>;
  readonly credentials: (
    organizationId: Id<'organization'>,
  ) => Promise<ReadonlyMap<Id<'pushApp'>, PushCredentials | undefined>>;
  readonly devices: (
    organizationId: Id<'organization'>,
    ids: readonly Id<'pushToken'>[],
  ) => Promise<ReadonlyMap<Id<'pushToken'>, PushDevice>>;
  /** Retires devices whose token the push service reported dead, unless they registered again since `at` (ms). */
  readonly retire: (organizationId: Id<'organization'>, ids: readonly Id<'pushToken'>[], at: number) => Promise<void>;
  /** Enqueues a chunk of a message for a time (ms). Best effort. */
  readonly enqueueChunk: (message: PushMessage, chunk: PushChunk, at: number) => void;
  /** A push service call: its outcome and duration (ms). */
  readonly observe: (platform: string, outcome: string, ms: number) => void;
}

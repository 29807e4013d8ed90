import type { Environment } from '../actor.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Id } from '../ids.ts';
import type { PriceTable } from '../pricing/prices.ts';
import type { Clock } from '../time.ts';
import type { AudienceSource } from './audience.ts';
import type { PushCredentials } from './credentials.ts';
import type { AudienceDevice, PushDevice } from './device.ts';
import type { DispatchStatus, FailureReason, PushChunk, PushDispatchRecord } from './dispatch.ts';
import type { Opens, PushMessage, PushStatus, Tally } from './message.ts';
import type { PushTransport } from './transport.ts';

/** A caller's key while its message is made: who holds it may go on with it, until `until` (ms) alone. */
export interface Claim {
  readonly organizationId: Id<'organization'>;
  readonly callerKey: string;
  readonly requestHash: string;
  readonly messageId: Id<'message'>;
  /** Which attempt this is, from 1. */
  readonly attempt: number;
}
export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  /** Another attempt holds it until then, in ms. */
  | { readonly kind: 'running'; readonly until: number }
  | { readonly kind: 'kept'; readonly messageId: string }
  | { readonly kind: 'reused' };

export type CommitOutcome = 'committed' | 'insufficient' | 'overtaken';

/** Making a push message: its rows first, which nobody sees, then the message with its money and its promise in one transaction. */
export interface PushMaker {
  /** Takes a caller's key for an attempt, or goes on with one whose time ran out. */
  claim(wish: Omit<Claim, 'messageId' | 'attempt'>, now: number, until: number): Promise<ClaimOutcome>;
  /** Gives the key back: free where nothing shall come of it, else for the next attempt to go on with. */
  giveBack(claim: Claim, now: number, how: 'free' | 'resumable'): Promise<void>;
  /** The chunks that the attempts to make a message have made so far. */
  chunks(messageId: string): Promise<readonly PushChunk[]>;
  /** Writes the rows of a chunk's devices, then the chunk. False when another attempt made it. */
  putChunk(
    chunk: PushChunk,
    tenant: Pick<PushMessage, 'organizationId' | 'createdAt'>,
    devices: readonly AudienceDevice[],
  ): Promise<boolean>;
  commit(message: PushMessage, claim: Claim): Promise<CommitOutcome>;
  read(organizationId: string, id: string): Promise<PushMessage | undefined>;
}

/** What became of one device in a pass; `later` is asked again in the next one. */
export interface Settled {
  readonly dispatch: PushDispatchRecord;
  readonly status: DispatchStatus;
  readonly reason?: FailureReason | undefined;
}

/** Sending a push message. Every change is conditional: a repeat, or a sender that was overtaken, changes nothing. */
export interface PushSender {
  message(id: string): Promise<PushMessage | undefined>;
  chunks(message: PushMessage): Promise<readonly PushChunk[]>;
  chunk(messageId: string, shard: number, number: number): Promise<PushChunk | undefined>;
  dispatches(chunk: PushChunk): Promise<readonly PushDispatchRecord[]>;
  /** Takes a chunk under a fence of its own; undefined when another has it. */
  take(chunk: PushChunk, now: number, leaseUntil: number): Promise<PushChunk | undefined>;
  /** What became of a group of devices, with their counts, while the next ones are claimed by the cursor; undefined when overtaken. */
  settle(
    chunk: PushChunk,
    settled: readonly Settled[],
    next: Pick<PushChunk, 'cursor' | 'leaseUntil'>,
  ): Promise<PushChunk | undefined>;
  /** Ends a turn: the chunk waits for its next one. False when overtaken. */
  rest(chunk: PushChunk, next: Pick<PushChunk, 'pass' | 'cursor' | 'nextAt'>): Promise<boolean>;
  /** Ends a chunk whose devices are all resolved; how many chunks of the message are done then, or undefined when overtaken. */
  finish(chunk: PushChunk): Promise<number | undefined>;
  /** A queued message begins, or is looked at again at a moment (ms). */
  begin(message: PushMessage, lookAt: number): Promise<void>;
  /** Moves a queued message's moment (ms), for quiet hours. */
  postpone(message: PushMessage, until: number): Promise<boolean>;
  /** Ends a message: its money moves, its event is raised. Once. */
  close(
    message: PushMessage,
    end: {
      readonly status: PushStatus;
      readonly tally: Tally;
      readonly at: number;
      readonly event: DomainEvent;
    },
  ): Promise<boolean>;
}

export interface QuietPorts {
  readonly clock: Clock;
  /** When a push message of the organization may leave, in ms; `at` itself outside of its quiet hours. */
  readonly leavesAt: (organizationId: string, at: number) => Promise<number>;
}

export interface PricePorts {
  readonly prices: () => Promise<PriceTable>;
  readonly audiences: AudienceSource;
}

/** What making push messages needs from outside. */
export interface CreatePushPorts extends QuietPorts, PricePorts {
  readonly maker: PushMaker;
  readonly tallies: PushReader;
  /** What the organization may spend, in coins. */
  readonly balance: (organizationId: string) => Promise<number>;
  readonly noteDepleted: (organizationId: Id<'organization'>, env: Environment) => Promise<void>;
  /** Hands a message to its queue at a moment (ms); may be lost. */
  readonly hintMessage: (messageId: string, at: number) => void;
}

export interface PushReader {
  /** Where the devices of messages stand, and how many opened them, in the messages' order. */
  standings(messages: readonly PushMessage[]): Promise<readonly { readonly tally: Tally; readonly opens: Opens }[]>;
}

/** What sending push messages needs from outside. */
export interface SendPushPorts extends QuietPorts {
  readonly sender: PushSender;
  readonly transport: () => Promise<PushTransport>;
  readonly credentials: (organizationId: string) => Promise<ReadonlyMap<string, PushCredentials | undefined>>;
  readonly devices: (organizationId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, PushDevice>>;
  /** Which of these contacts forbade being written to. */
  readonly deniedContacts: (organizationId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Retires devices by their push service's word, unless they were registered anew since `at` (ms). */
  readonly retire: (organizationId: string, ids: readonly string[], at: number) => Promise<void>;
  readonly hintMessage: (messageId: string, at: number) => void;
  readonly hintChunk: (chunk: PushChunk, at: number) => void;
  /** How a device's push service answered, and how long it took, in ms. */
  readonly observe: (platform: string, outcome: string, ms: number) => void;
}

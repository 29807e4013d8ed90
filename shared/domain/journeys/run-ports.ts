import type { Id } from '../core/ids.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Entry } from './entry.ts';
import type { HistoryEntry, Run } from './run.ts';

/** A run as it is stored. */
export interface StoredRun {
  readonly run: Run;
  /** The last entries of its history. */
  readonly history: readonly HistoryEntry[];
  /** Its journey is paused: it goes on with the journey. */
  readonly isParked: boolean;
  /** When something is to be done, in ms; undefined while nothing is. */
  readonly dueAt?: number | undefined;
}

/** What a move adds to the counts of a journey, or of one of its steps (docs/spec/journeys.md#metrics). */
export type Counts = Readonly<Record<string, number>>;
/** By the key of a step, or of the way from one to another; '' is the journey itself. */
export type JourneyCounts = ReadonlyMap<string, Counts>;

/** A run that begins. `over`: the contact's entry as it was judged. */
export interface Start {
  readonly stored: StoredRun;
  readonly over: Entry | undefined;
  readonly caused: Entry['caused'];
  /** The customer event that is the journey's goal. */
  readonly goal: string | undefined;
}
/** `busy`: the contact's entry changed since it was judged. */
export type StartOutcome = 'begun' | 'busy';

/** A change of a run, with all that follows from it in the same transaction. */
export interface Move {
  readonly before: StoredRun;
  readonly after: StoredRun;
  /** What it adds to the history: `after` has it already. */
  readonly added: readonly HistoryEntry[];
  readonly counts: JourneyCounts;
  readonly goal: string | undefined;
  readonly events: readonly DomainEvent[];
  /** When it was decided, in ms: a customer event that came since, and that the run begins to wait for, is not passed over. */
  readonly decidedAt: number;
}
/** `event_came`: what it would begin to wait for came meanwhile. Nothing is stored but by `saved`. */
export type MoveOutcome = 'saved' | 'conflict' | 'event_came';

/** A run that a customer event concerns. */
export interface Awaiting {
  readonly runId: Id<'run'>;
  readonly role: 'goal' | 'wait';
}

/** Stores runs and entries. */
export interface RunStore {
  /** Strongly consistent, in the order of the ids. One round trip per 100. */
  read(ids: readonly Id<'run'>[]): Promise<readonly (StoredRun | undefined)[]>;
  /** The whole history of a run, oldest first. */
  historyOf(stored: StoredRun): Promise<readonly HistoryEntry[]>;
  /** The entries of contacts in a journey, strongly consistent, in the order of the ids. */
  entries(rootId: Id<'journey'>, contactIds: readonly Id<'contact'>[]): Promise<readonly (Entry | undefined)[]>;
  /** Begins runs of one journey, up to 32 in a transaction. Each has an outcome of its own. */
  begin(starts: readonly Start[], counts: (begun: number) => JourneyCounts): Promise<readonly StartOutcome[]>;
  /** Stores a move, in one transaction with others of this process where they come together. */
  save(move: Move): Promise<MoveOutcome>;
  /**
   * Tells that a customer event came, and finds the runs that wait for it. What begins to wait for it at the same moment is found here, or finds the
   * event: one of both.
   */
  awaiting(
    contactId: Id<'contact'>,
    name: string,
    event: { readonly id: string; readonly at: number },
  ): Promise<readonly Awaiting[]>;
  /** How many index partitions the runs of a journey are spread over. */
  readonly shards: number;
  /** A page of the runs of a shard that are active, or parked, for a sweep; `after` is where the next one begins. Eventually consistent. */
  sweepPage(
    journeyId: Id<'journey'>,
    of: 'ativa' | 'parked',
    shard: number,
    after: Readonly<Record<string, string>> | undefined,
    limit: number,
  ): Promise<{ readonly ids: readonly Id<'run'>[]; readonly after?: Record<string, string> | undefined }>;
  /** The last event of a name that was told of a contact, and when it came (ms), if that was at `since` (ms) or later. */
  eventSince(
    contactId: Id<'contact'>,
    name: string,
    since: number,
  ): Promise<{ readonly id: string; readonly at: number } | undefined>;
}

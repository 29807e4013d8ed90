import type { Id } from '../core/ids.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Entry } from './entry.ts';
import type { HistoryEntry, Run } from './run.ts';

/** A run as it is stored. */
export interface StoredRun {
  readonly run: Run;
  /** The latest entries of its history. */
  readonly history: readonly HistoryEntry[];
  /** Its journey is paused: it continues with the journey. */
  readonly isParked: boolean;
  /** When work is due, in ms; undefined while there is none. */
  readonly dueAt?: number | undefined;
}

/** The increments of a journey's or step's counters by a move (docs/spec/journeys.md#metrics). */
export type Counts = Readonly<Record<string, number>>;
/** By step key, or by transition between two; '' is the journey itself. */
export type JourneyCounts = ReadonlyMap<string, Counts>;

/** A new run. `over`: the contact's entry that was checked. */
export interface Start {
  readonly stored: StoredRun;
  readonly over: Entry | undefined;
  readonly caused: Entry['caused'];
  /** The customer event that is the journey's goal. */
  readonly goal: string | undefined;
}
/** `busy`: the contact's entry changed since it was checked. */
export type StartOutcome = 'begun' | 'busy';

/** A change of a run, with everything stored in the same transaction. */
export interface Move {
  readonly before: StoredRun;
  readonly after: StoredRun;
  /** New history entries, which `after` already contains. */
  readonly added: readonly HistoryEntry[];
  readonly counts: JourneyCounts;
  readonly goal: string | undefined;
  readonly events: readonly DomainEvent[];
  /** When it was decided, in ms: a customer event that arrived since, and that the run starts to wait for, must not be missed. */
  readonly decidedAt: number;
}
/** `event_came`: the event that it would start to wait for arrived meanwhile. Only `saved` stores anything. */
export type MoveOutcome = 'saved' | 'conflict' | 'event_came';

/** A run that a customer event affects. */
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
  /** Starts runs of one journey, up to 32 per transaction. Each has its own outcome. */
  begin(starts: readonly Start[], counts: (begun: number) => JourneyCounts): Promise<readonly StartOutcome[]>;
  /** Stores a move, sharing a transaction with others of this process if they coincide. */
  save(move: Move): Promise<MoveOutcome>;
  /**
   * Records that a customer event arrived, and finds the runs that wait for it. A run that starts to wait concurrently either is found
   * here, or finds the event.
   */
  awaiting(
    contactId: Id<'contact'>,
    name: string,
    event: { readonly id: string; readonly at: number },
  ): Promise<readonly Awaiting[]>;
  /** The number of index partitions of a journey's runs. */
  readonly shards: number;
  /** A page of a shard's active or parked runs, for a sweep; `after` is where the next page starts. Eventually consistent. */
  sweepPage(
    journeyId: Id<'journey'>,
    of: 'ativa' | 'parked',
    shard: number,
    after: Readonly<Record<string, string>> | undefined,
    limit: number,
  ): Promise<{ readonly ids: readonly Id<'run'>[]; readonly after?: Record<string, string> | undefined }>;
  /** The last recorded event of a name for a contact, and when it arrived (ms), if at `since` (ms) or later. */
  eventSince(
    contactId: Id<'contact'>,
    name: string,
    since: number,
  ): Promise<{ readonly id: string; readonly at: number } | undefined>;
}

import type { AuditEntry } from '../audit/entry.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { WireGraph } from './definition.ts';
import type { EntryJob, EntrySource, RunSweep, SweepKind } from './jobs.ts';
import type { Journey } from './journey.ts';
import type { JourneyLineage } from './lineage.ts';
import type { JourneyTrigger, TriggerKind } from './trigger.ts';

/** A version with its graph. */
export interface WholeJourney {
  readonly journey: Journey;
  readonly graph: WireGraph;
}

/** A version before and after a change; undefined where it is not there. */
export interface VersionChange {
  readonly before?: Journey | undefined;
  readonly after?: Journey | undefined;
  /** Its graph, where that is new: `after` has another `revision` then. */
  readonly graph?: WireGraph | undefined;
}

/** What changes of a journey, in one transaction: its versions, or what they share. */
export interface JourneyChange {
  readonly versions: readonly VersionChange[];
  readonly lineage?:
    | { readonly before?: JourneyLineage | undefined; readonly after?: JourneyLineage | undefined }
    | undefined;
  /** Begins to let those in who are in its list or segment at this time, in ms. */
  readonly entries?: { readonly source: EntrySource; readonly at: number } | undefined;
  /** An entry that a pause stopped goes on at this time, in ms. */
  readonly resumed?: { readonly job: EntryJob; readonly at: number } | undefined;
  /** Begins a sweep over the runs of the first of `versions`, at this time, in ms. */
  readonly sweep?: { readonly kind: SweepKind; readonly at: number } | undefined;
  readonly event?: DomainEvent | undefined;
  readonly entry?: AuditEntry | undefined;
}

/**
 * Stores journeys. The triggers of a journey, what the organization has of journeys, and the list of them follow from the versions before and after, in the
 * same transaction.
 */
export interface JourneyStore {
  /** `conflict`: something changed since it was read. `limit_reached`: the organization has as many journeys as it may have. */
  save(change: JourneyChange): Promise<'saved' | 'conflict' | 'limit_reached'>;
  /**
   * Has what happens to contacts be told to a version that is about to be activated, before it is: what happens after the moment of the activation is then
   * missed by nobody who looked before it was stored.
   */
  announce(journey: Journey, now: number): Promise<void>;
  /** A version of an organization's journey, strongly consistent. One read. */
  read(organizationId: Id<'organization'>, id: Id<'journey'>): Promise<Journey | undefined>;
  /** The same by its id alone, for due work. */
  find(id: Id<'journey'>): Promise<Journey | undefined>;
  /** A version with its graph, as of one moment. */
  readWhole(organizationId: Id<'organization'>, id: Id<'journey'>): Promise<WholeJourney | undefined>;
  /** The graph of a version, as it was when `journey` was read or later. Kept by the process: read at the first call for a revision. */
  readGraph(journey: Pick<Journey, 'id' | 'revision'>): Promise<WireGraph>;
  readLineage(rootId: Id<'journey'>): Promise<JourneyLineage | undefined>;
  readEntries(id: Id<'journey'>): Promise<EntryJob | undefined>;
  readSweep(id: Id<'journey'>): Promise<RunSweep | undefined>;
  /** Moves an entry on, unless it changed since it was read; undefined then. */
  moveEntries(
    before: EntryJob,
    after: Pick<EntryJob, 'position' | 'state' | 'goesOnAt'>,
  ): Promise<EntryJob | undefined>;
  /** Moves a sweep on, unless it began anew since it was read; undefined then. */
  moveSweep(before: RunSweep, after: Pick<RunSweep, 'position' | 'goesOnAt'>): Promise<RunSweep | undefined>;
  /** The organization's journeys that are not archived, newest first. */
  all(organizationId: Id<'organization'>): Promise<readonly Journey[]>;
  /**
   * The triggers of an organization that something sets off: of `target`, a list, a segment, the name of an event or a tag; of messages, all. One query,
   * strongly consistent.
   */
  triggers(organizationId: Id<'organization'>, tipo: TriggerKind, target: string): Promise<readonly JourneyTrigger[]>;
}

/** Ports of what changes the state of a journey. */
export interface JourneyStatePorts {
  readonly clock: Clock;
  readonly store: JourneyStore;
  /** Hands the entry of who is in a list or segment, or a sweep over runs, to a worker. Best effort: it is due work. */
  readonly enqueue: (journey: Journey, work: 'entries' | 'sweep') => void;
}

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

/** A version before and after a change; undefined if it does not exist. */
export interface VersionChange {
  readonly before?: Journey | undefined;
  readonly after?: Journey | undefined;
  /** Its graph, if changed: `after` then has another `revision`. */
  readonly graph?: WireGraph | undefined;
}

/** A change of a journey in one transaction: of its versions and their shared state. */
export interface JourneyChange {
  readonly versions: readonly VersionChange[];
  readonly lineage?:
    | { readonly before?: JourneyLineage | undefined; readonly after?: JourneyLineage | undefined }
    | undefined;
  /** Starts to enter the present members of its list or segment at this time, in ms. */
  readonly entries?: { readonly source: EntrySource; readonly at: number } | undefined;
  /** Resumes an entry job that a pause stopped at this time, in ms. */
  readonly resumed?: { readonly job: EntryJob; readonly at: number } | undefined;
  /** Starts a sweep over the runs of the first of `versions`, at this time, in ms. */
  readonly sweep?: { readonly kind: SweepKind; readonly at: number } | undefined;
  readonly event?: DomainEvent | undefined;
  readonly entry?: AuditEntry | undefined;
}

/**
 * Stores journeys. Triggers, the organization's counter and the list of journeys are derived from the versions before and after, in the
 * same transaction.
 */
export interface JourneyStore {
  /** `conflict`: something changed since it was read. `limit_reached`: the organization has the maximum number of journeys. */
  save(change: JourneyChange): Promise<'saved' | 'conflict' | 'limit_reached'>;
  /**
   * Starts recording triggers for a version that is about to be activated, so that nothing that happens after the activation is missed by
   * workers that read the triggers before it was stored.
   */
  announce(journey: Journey, now: number): Promise<void>;
  /** A version of an organization's journey, strongly consistent. One read. */
  read(organizationId: Id<'organization'>, id: Id<'journey'>): Promise<Journey | undefined>;
  /** The same by its id alone, for due work. */
  find(id: Id<'journey'>): Promise<Journey | undefined>;
  /** A version with its graph, as of one moment. */
  readWhole(organizationId: Id<'organization'>, id: Id<'journey'>): Promise<WholeJourney | undefined>;
  /** The graph of a version, as of when `journey` was read or later. Cached by the process per revision. */
  readGraph(journey: Pick<Journey, 'id' | 'revision'>): Promise<WireGraph>;
  readLineage(rootId: Id<'journey'>): Promise<JourneyLineage | undefined>;
  readEntries(id: Id<'journey'>): Promise<EntryJob | undefined>;
  readSweep(id: Id<'journey'>): Promise<RunSweep | undefined>;
  /** Updates an entry job, unless it changed since it was read; undefined then. */
  moveEntries(
    before: EntryJob,
    after: Pick<EntryJob, 'position' | 'state' | 'resumesAt'>,
  ): Promise<EntryJob | undefined>;
  /** Updates a sweep, unless it restarted since it was read; undefined then. */
  moveSweep(before: RunSweep, after: Pick<RunSweep, 'position' | 'resumesAt'>): Promise<RunSweep | undefined>;
  /** The organization's journeys that are not archived, newest first. */
  all(organizationId: Id<'organization'>): Promise<readonly Journey[]>;
  /**
   * The organization's triggers for `target`: a list, a segment, an event's name or a tag; for messages, all. One query, strongly
   * consistent.
   */
  triggers(organizationId: Id<'organization'>, tipo: TriggerKind, target: string): Promise<readonly JourneyTrigger[]>;
}

/** Ports for changes of a journey's state. */
export interface JourneyStatePorts {
  readonly clock: Clock;
  readonly store: JourneyStore;
  /** Enqueues an entry job or a sweep over runs. Best effort: it is due work. */
  readonly enqueue: (journey: Journey, work: 'entries' | 'sweep') => void;
}

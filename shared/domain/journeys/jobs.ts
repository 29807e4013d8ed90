import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';

/** The source of contacts that enter at an activation. */
export type EntrySource =
  | { readonly kind: 'lista'; readonly listId: Id<'list'> }
  | { readonly kind: 'segmento'; readonly segmentId: Id<'segment'> };

/**
 * The job that enters the members of a journey's list or segment at its activation (`incluirAtuais`). Its worker continues from `position`
 * whenever it is due. It waits while the journey is paused, and ends when the journey takes no more entries.
 */
export interface EntryJob extends Tenant {
  readonly journeyId: Id<'journey'>;
  readonly source: EntrySource;
  /** When the journey was activated, in ms. */
  readonly since: number;
  /** The worker's position, in its own format; undefined before it starts. */
  readonly position?: string | undefined;
  readonly state: 'running' | 'done';
  /** Optimistic lock. */
  readonly version: number;
  /** When it continues, in ms; undefined while the journey is paused, and when it is done. */
  readonly resumesAt?: number | undefined;
}

/** The act of a sweep on the runs of a journey: resumes parked ones, or cancels all active ones. */
export const SWEEP_KINDS = ['unpark', 'cancel'] as const;
export type SweepKind = (typeof SWEEP_KINDS)[number];

/**
 * A sweep over the runs of a journey. Each activation or archiving restarts it; its worker continues from `position` whenever it is due.
 */
export interface RunSweep extends Tenant {
  readonly journeyId: Id<'journey'>;
  readonly kind: SweepKind;
  /** When it started, in ms. */
  readonly since: number;
  /** The worker's position, in its own format; undefined before it starts. */
  readonly position?: string | undefined;
  /** Optimistic lock: incremented also when a sweep restarts. */
  readonly version: number;
  /** When it continues, in ms; undefined when it is done. */
  readonly resumesAt?: number | undefined;
}

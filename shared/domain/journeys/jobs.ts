import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';

/** Where those come from who enter at an activation. */
export type EntrySource =
  | { readonly kind: 'lista'; readonly listId: Id<'list'> }
  | { readonly kind: 'segmento'; readonly segmentId: Id<'segment'> };

/**
 * The entry of those who were in the list or segment of a journey when it was activated (`incluirAtuais`). Its worker goes on from `position` whenever
 * it is due. It rests while the journey is paused, and ends when the journey takes no entries any more.
 */
export interface EntryJob extends Tenant {
  readonly journeyId: Id<'journey'>;
  readonly source: EntrySource;
  /** When the journey was activated, in ms. */
  readonly since: number;
  /** How far its worker came, in its own words; undefined before it begins. */
  readonly position?: string | undefined;
  readonly state: 'running' | 'done';
  /** Optimistic lock. */
  readonly version: number;
  /** When it goes on, in ms; undefined while the journey is paused, and when it is done. */
  readonly goesOnAt?: number | undefined;
}

/** What a sweep does with the runs of a journey: lets the parked ones go on, or cancels all that are active. */
export const SWEEP_KINDS = ['unpark', 'cancel'] as const;
export type SweepKind = (typeof SWEEP_KINDS)[number];

/** A sweep over the runs of a journey. An activation or an archive begins it anew; its worker goes on from `position` whenever it is due. */
export interface RunSweep extends Tenant {
  readonly journeyId: Id<'journey'>;
  readonly kind: SweepKind;
  /** When it began, in ms. */
  readonly since: number;
  /** How far its worker came, in its own words; undefined before it begins. */
  readonly position?: string | undefined;
  /** Optimistic lock: grows also where a sweep begins anew. */
  readonly version: number;
  /** When it goes on, in ms; undefined when it is through. */
  readonly goesOnAt?: number | undefined;
}

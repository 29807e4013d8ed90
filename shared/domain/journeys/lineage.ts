import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';

/** A sealed signing secret of a journey's webhook steps. The first one and, until they end, older ones sign. */
export interface StepSecret {
  readonly version: number;
  readonly sealed: string;
  /** In ms; absent: the current one. */
  readonly endsAt?: number | undefined;
}

/** The shared state of a journey's versions (docs/spec/journeys.md#versions). At most one is a draft and at most one runs. */
export interface JourneyLineage extends Tenant {
  /** The id of the first version. */
  readonly rootId: Id<'journey'>;
  /** The version that can be edited. */
  readonly draftId?: Id<'journey'> | undefined;
  /** The version that takes entries, unless paused. */
  readonly runningId?: Id<'journey'> | undefined;
  /** None until a version has a webhook step. */
  readonly secrets: readonly StepSecret[];
  /** A version posted contacts in full: its secret is only for callers who may see them so. */
  readonly postsInFull?: boolean | undefined;
  /** Optimistic lock. */
  readonly version: number;
}

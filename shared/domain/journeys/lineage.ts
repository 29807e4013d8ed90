import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';

/** A signing secret of the webhook steps of a journey, sealed. The first of several signs, the others beside it until they end. */
export interface StepSecret {
  readonly version: number;
  readonly sealed: string;
  /** In ms; absent: the one that is in use. */
  readonly endsAt?: number | undefined;
}

/** What the versions of a journey share (docs/spec/journeys.md#versions). There is one draft and one that runs at most. */
export interface JourneyLineage extends Tenant {
  /** The id of the first version. */
  readonly rootId: Id<'journey'>;
  /** The version that may be changed. */
  readonly draftId?: Id<'journey'> | undefined;
  /** The version that takes entries, or would if it was not paused. */
  readonly runningId?: Id<'journey'> | undefined;
  /** None until a version has a webhook step. */
  readonly secrets: readonly StepSecret[];
  /** A version of it posted contacts in full: a secret of it is for those who may see them so. */
  readonly postsInFull?: boolean | undefined;
  /** Optimistic lock. */
  readonly version: number;
}

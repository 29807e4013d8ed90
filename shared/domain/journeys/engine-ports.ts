import type { Contact } from '../contacts/contact.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { QuietHours } from '../sending/quiet-hours.ts';
import type { Graph } from './graph.ts';
import type { Journey } from './journey.ts';
import type { JourneyStore } from './ports.ts';
import type { Run, RunEvent } from './run.ts';
import type { RunStore } from './run-ports.ts';
import type { EffectResult, PauseReason, PerformedEffect } from './turn.ts';

/** An organization's settings that affect its journeys. */
export interface JourneyClock {
  /** An IANA time zone. */
  readonly timeZone: string;
  readonly quietHours?: QuietHours | undefined;
}

/** The result of an effect, or a retry after `ms` because a required resource is busy. */
export type Performed = EffectResult | { readonly kind: 'later'; readonly ms: number };

/** A run at an effect, with its journey and contact. */
export interface EffectContext {
  readonly run: Run;
  readonly journey: Journey;
  readonly graph: Graph;
  readonly contact: Contact;
}

/** Ports of the engine that advances runs. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly runs: RunStore;
  readonly journeys: Pick<JourneyStore, 'find' | 'readGraph'>;
  /** A contact, or the one that it was merged into; undefined if it is gone. */
  readonly contactOf: (organizationId: Id<'organization'>, id: Id<'contact'>) => Promise<Contact | undefined>;
  readonly clockOf: (organizationId: Id<'organization'>) => Promise<JourneyClock>;
  /** A customer event by id, as runs use it; undefined if it is gone. */
  readonly eventOf: (id: string) => Promise<RunEvent | undefined>;
  /**
   * Performs a step's effect. A repeat for the same run, step and visit has no further effect. Throws `Unavailable` if it may be retried
   * soon.
   */
  readonly perform: (context: EffectContext, effect: PerformedEffect) => Promise<Performed>;
  /** The message that a visit of a step already sent; undefined if none. */
  readonly sentBy: (run: Run, step: string, visit: number) => Promise<Id<'message'> | undefined>;
  /** Pauses an active journey, once, and raises `journey.paused`. */
  readonly pause: (
    journey: Journey,
    cause: { readonly reason: PauseReason; readonly step: string; readonly label?: string | undefined },
  ) => Promise<void>;
  /** Enqueues runs that are due at a time (ms). Best effort: they are due work. */
  readonly enqueue: (runs: readonly Pick<Run, 'id' | 'organizationId'>[], at: number) => void;
}

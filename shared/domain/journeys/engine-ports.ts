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

/** What of an organization's settings its journeys go by. */
export interface JourneyClock {
  /** Of the IANA list. */
  readonly timeZone: string;
  readonly quietHours?: QuietHours | undefined;
}

/** What came of an effect, or that it is to be tried again after `ms`, since what it needs is busy. */
export type Performed = EffectResult | { readonly kind: 'later'; readonly ms: number };

/** A run at an effect, and for whom. */
export interface EffectContext {
  readonly run: Run;
  readonly journey: Journey;
  readonly graph: Graph;
  readonly contact: Contact;
}

/** What moves runs. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly runs: RunStore;
  readonly journeys: Pick<JourneyStore, 'find' | 'readGraph'>;
  /** A contact, or the one that it was merged into; undefined for one that is gone. */
  readonly contactOf: (organizationId: Id<'organization'>, id: Id<'contact'>) => Promise<Contact | undefined>;
  readonly clockOf: (organizationId: Id<'organization'>) => Promise<JourneyClock>;
  /** The customer event with an id, as a run takes it; undefined for one that is gone. */
  readonly eventOf: (id: string) => Promise<RunEvent | undefined>;
  /** Does what a step is for. A repeat for the same run, step and visit has no effect of its own. Throws `Unavailable` where it may be tried again soon. */
  readonly perform: (context: EffectContext, effect: PerformedEffect) => Promise<Performed>;
  /** The message that a visit of a step has sent already; undefined where it has sent none. */
  readonly sentBy: (run: Run, step: string, visit: number) => Promise<Id<'message'> | undefined>;
  /** Pauses a journey that is active, once, and raises `journey.paused`. */
  readonly pause: (
    journey: Journey,
    cause: { readonly reason: PauseReason; readonly step: string; readonly label?: string | undefined },
  ) => Promise<void>;
  /** Hands runs that are due at a time (ms) to workers. Best effort: they are due work. */
  readonly enqueue: (runs: readonly Pick<Run, 'id' | 'organizationId'>[], at: number) => void;
}

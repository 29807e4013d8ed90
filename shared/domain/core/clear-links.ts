import type { Id } from './ids.ts';
import type { Clock } from './time.ts';
import type { LinkedId } from './tombstones.ts';

/**
 * The result of a sweep. `more`: rows remain that can be cleared now. `later`: some can only be cleared later, such as
 * those of a message in flight.
 */
export type SweepOutcome = 'done' | 'later' | 'more';

/** A deleted object that something may still name. */
export interface Gone {
  readonly organizationId: Id<'organization'>;
  readonly id: LinkedId;
  /** When it was deleted, in ms. */
  readonly at: number;
}

export interface ClearLinksPorts {
  readonly clock: Clock;
  readonly read: (organizationId: Id<'organization'>, id: LinkedId) => Promise<Gone | undefined>;
  /**
   * Each clears links to the object, or deletes rows that belonged to it alone, a bounded number per call. Idempotent.
   */
  readonly sweeps: readonly ((gone: Gone) => Promise<SweepOutcome>)[];
  /** Schedules the work for a time (ms). `isCleared`: everything found so far is cleared. */
  readonly reschedule: (gone: Gone, at: number, isCleared: boolean) => Promise<void>;
  /** Ends the work at a time (ms). */
  readonly expire: (gone: Gone, now: number) => Promise<void>;
  /** Enqueues the work. Best effort. */
  readonly enqueue: (gone: Gone) => void;
}

/**
 * How long after a deletion the links are searched again, in ms, to find those that the indexes did not contain yet.
 */
export const CHECK_AGAIN_MS = 15 * 60_000;

/**
 * Clears links to a deleted company or card, and rows that belonged to it alone. Ends when a pass that started after
 * the indexes' lag finds nothing. Idempotent, and safe to interrupt anywhere (docs/crm.md#links).
 */
export const clearLinks = async (
  ports: ClearLinksPorts,
  organizationId: Id<'organization'>,
  id: LinkedId,
): Promise<void> => {
  const startedAt = ports.clock();
  const gone = await ports.read(organizationId, id);
  if (!gone) return;
  const outcomes: SweepOutcome[] = [];
  for (const sweep of ports.sweeps) outcomes.push(await sweep(gone));
  if (outcomes.includes('more')) {
    await ports.reschedule(gone, ports.clock(), false);
    return ports.enqueue(gone);
  }
  const isCleared = !outcomes.includes('later');
  return isCleared && startedAt >= gone.at + CHECK_AGAIN_MS
    ? ports.expire(gone, startedAt)
    : ports.reschedule(gone, Math.max(startedAt, gone.at) + CHECK_AGAIN_MS, isCleared);
};

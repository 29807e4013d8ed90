import type { Id } from './ids.ts';
import type { Clock } from './time.ts';
import type { LinkedId } from './tombstones.ts';

/** What becomes of a sweep: `more` is there to be cleared at once, `later` what is not over yet, such as a message on its way. */
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
  /** Clear links to the object, or delete what was of it alone, a bounded number of rows each. Idempotent. */
  readonly sweeps: readonly ((gone: Gone) => Promise<SweepOutcome>)[];
  /** Makes the work due again at a time (ms). `isCleared`: nothing that was found is left. */
  readonly reschedule: (gone: Gone, at: number, isCleared: boolean) => Promise<void>;
  /** Ends the work at a time (ms). */
  readonly expire: (gone: Gone, now: number) => Promise<void>;
  /** Hands the work to a worker. Best effort. */
  readonly enqueue: (gone: Gone) => void;
}

/** How long after a deletion links are looked for once more that the indexes did not show then, in ms. */
export const LOOK_AGAIN_MS = 15 * 60_000;

/**
 * Clears what names a deleted company or card, and what was of it alone; ends once a look that began after the indexes' lag found nothing left. Safe to repeat, and
 * to stop anywhere (docs/crm.md#links).
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
  return isCleared && startedAt >= gone.at + LOOK_AGAIN_MS
    ? ports.expire(gone, startedAt)
    : ports.reschedule(gone, Math.max(startedAt, gone.at) + LOOK_AGAIN_MS, isCleared);
};

import type { Id } from '../core/ids.ts';
import { type EntryPorts, enter } from './enter.ts';
import type { EntryJob, EntrySource } from './jobs.ts';
import type { JourneyStore } from './ports.ts';
import { takesEntries } from './trigger.ts';

/** Ports for entering the present members of a list or segment. */
export interface CurrentPorts extends EntryPorts {
  readonly jobs: Pick<JourneyStore, 'moveEntries' | 'readEntries'>;
  /** Members of a list or segment with numbers below one, in descending order, up to `limit`; `next` is the bound for the rest. */
  readonly members: (
    organizationId: Id<'organization'>,
    source: EntrySource,
    below: number | undefined,
    limit: number,
  ) => Promise<{ readonly ids: readonly Id<'contact'>[]; readonly next?: number | undefined }>;
  /** Whether there is time for another page. */
  readonly timeLeft: () => boolean;
}

/** Contacts that enter between two saves of the position. */
const PAGE = 192;

/** A job whose journey takes no entries now: it waits if the journey is paused, and ends otherwise. */
const stopped = (status: string | undefined): Pick<EntryJob, 'resumesAt' | 'state'> =>
  status === 'pausada' ? { state: 'running', resumesAt: undefined } : { state: 'done', resumesAt: undefined };

/**
 * Enters the contacts that were in a journey's list or segment at its activation, page by page, while there is time. Returns whether it is
 * due again immediately. Idempotent, and safe to interrupt anywhere: a contact enters only once per activation.
 */
export const enterCurrent = async (ports: CurrentPorts, journeyId: Id<'journey'>): Promise<boolean> => {
  let job = await ports.jobs.readEntries(journeyId);
  while (job?.state === 'running' && job.resumesAt !== undefined && job.resumesAt <= ports.clock()) {
    const { organizationId, source, since, position } = job;
    const journey = await ports.journeys.find(journeyId);
    if (!journey || !takesEntries(journey)) {
      const status = journey?.entriesClosed ? undefined : journey?.status;
      await ports.jobs.moveEntries(job, { position, ...stopped(status) });
      return false;
    }
    const below = position === undefined ? undefined : Number(position);
    const { ids, next } = await ports.members(organizationId, source, below, PAGE);
    const cause = { key: `activation ${since}`, at: since };
    await enter(
      ports,
      journey,
      ids.map((contactId) => ({ contactId, cause })),
    );
    const isDone = next === undefined;
    job =
      (await ports.jobs.moveEntries(job, {
        position: isDone ? position : String(next),
        state: isDone ? 'done' : 'running',
        resumesAt: isDone ? undefined : ports.clock(),
      })) ?? (await ports.jobs.readEntries(journeyId));
    if (!ports.timeLeft()) return job?.resumesAt !== undefined;
  }
  return false;
};

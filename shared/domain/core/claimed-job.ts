import type { Clock } from './time.ts';

/** How long a worker has a step of a job, in ms: longer than its function may run. After that the step is another worker's. */
export const CLAIM_MS = 60_000;
/** After how long a worker begins no further step, in ms. */
const RUN_MS = 12_000;
/** Attempts at a step before its job fails. */
export const MAX_ATTEMPTS = 8;
/** The wait after so many attempts, in ms. */
export const waitAfter = (attempts: number): number => Math.min(5_000 * 2 ** attempts, 600_000);

/** What all jobs have that are done in steps, each by the worker that claimed it. */
interface ClaimedJob {
  /** How often the step was begun. */
  readonly attempts: number;
}
interface ClaimPorts<Id, Job> {
  readonly clock: Clock;
  readonly store: {
    claim(id: Id, now: number, until: number): Promise<Job | undefined>;
    release(job: Job, at: number, attempts: number): Promise<void>;
  };
  readonly enqueue: (job: Job) => void;
  readonly onFailure: (detail: string) => void;
}
interface Steps<Job> {
  /** Ends a job that has come to its end, also where the time is over; false for one that goes on. */
  readonly end: (job: Job) => Promise<boolean>;
  /** Takes a step on: the job with the next one claimed, or undefined where it ended or belongs to another worker. */
  readonly step: (job: Job) => Promise<Job | undefined>;
}

/** Goes on with a job until the time is over, or it ends. A step that fails is given back, and tried again after a wait. */
export const runClaimed = async <Id, Job extends ClaimedJob>(
  ports: ClaimPorts<Id, Job>,
  id: Id,
  { end, step }: Steps<Job>,
): Promise<void> => {
  const startedAt = ports.clock();
  const claimed = await ports.store.claim(id, startedAt, startedAt + CLAIM_MS);
  let held = claimed;
  try {
    for (let job = claimed; job; job = await step(job)) {
      held = job;
      if (await end(job)) return;
      if (job !== claimed && ports.clock() - startedAt > RUN_MS) {
        await ports.store.release(job, ports.clock(), 0);
        return ports.enqueue(job);
      }
    }
  } catch (error) {
    if (held)
      await ports.store
        .release(held, ports.clock() + waitAfter(held.attempts), held.attempts)
        .catch(() => ports.onFailure('a claim could not be given back: it runs out'));
    throw error;
  }
};

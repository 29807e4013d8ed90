import type { Clock } from './time.ts';

/**
 * How long a claim on a job step lasts, in ms: longer than its function may run. After that another worker may claim
 * the step.
 */
export const CLAIM_MS = 60_000;
/** A worker starts no further step after this time, in ms. */
const RUN_MS = 12_000;
/** Attempts at a step before its job fails. */
export const MAX_ATTEMPTS = 8;
/** The delay before the next attempt, in ms. */
export const waitAfter = (attempts: number): number => Math.min(5_000 * 2 ** attempts, 600_000);

/** Common fields of jobs that run in steps, each by the worker that claimed it. */
interface ClaimedJob {
  /** How many times the step was started. */
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
  /** Ends a job that is finished or has expired; false if it continues. */
  readonly end: (job: Job) => Promise<boolean>;
  /** Runs one step. Returns the job with its next step claimed, or undefined if it ended or another worker has it. */
  readonly step: (job: Job) => Promise<Job | undefined>;
}

/**
 * Runs the steps of a job until the time is up or the job ends. A step that fails is released and retried after a
 * delay.
 */
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

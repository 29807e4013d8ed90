import { ABSENT } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Key } from '../client/row.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

/*
 * Claims of jobs: one worker at a time has a part of a job. Each claim has a fence, which all that its worker writes is conditional on; a claim that runs
 * out without a word is another worker's, who begins the part again.
 */

/** What the rows of all jobs have. */
export interface Claimable {
  readonly id: string;
  /** Counts the claims of the job. */
  readonly fence: number;
  /** How often the part was begun. */
  readonly attempts: number;
}

/** Attributes that make a job due at a time (ms). */
export const dueAt = (id: string, at: number) => INDEX_KEYS.due('run_job', id, at);
const ACTIVE = ['running', 'cancelling'];

/** Condition: the worker still has its claim. */
export const isClaimedBy = ({ fence }: Claimable): Condition => ({
  text: '#fence = :fence AND #status IN (:running, :cancelling)',
  values: { fence, running: ACTIVE[0], cancelling: ACTIVE[1] },
});

/** Claims a job's part, which nobody has at `now`, until a time (ms). */
export const claimWrite = (key: Key, id: string, now: number, until: number): WriteOp => ({
  update: key,
  set: { claimedUntil: until, ...dueAt(id, until) },
  add: { fence: 1, attempts: 1 },
  when: {
    text: '#claimedUntil <= :now AND #status IN (:running, :cancelling)',
    values: { now, running: ACTIVE[0], cancelling: ACTIVE[1] },
  },
});

/** Stores a part's progress, and claims the next part. */
export const advanceWrite = (
  key: Key,
  job: Claimable,
  progress: Readonly<Record<string, unknown>>,
  until: number,
): Extract<WriteOp, { update: Key }> => ({
  update: key,
  set: { ...progress, attempts: 1, claimedUntil: until, ...dueAt(job.id, until) },
  add: { fence: 1 },
  when: isClaimedBy(job),
});

/** Gives a claim back: the part may be claimed from `at` (ms) on. */
export const releaseWrite = (key: Key, job: Claimable, at: number, attempts: number): WriteOp => ({
  update: key,
  set: { attempts, claimedUntil: at, ...dueAt(job.id, at) },
  when: isClaimedBy(job),
});

/** What an ended job has no more. */
export const ENDED_WITHOUT = ['duePk', 'dueAt', 'repeats'];

/** Condition: an organization has no other job of the kind on its way. */
export const isFreeFor = (jobId: string): Condition => ({
  text: `${ABSENT.text} OR #jobId = :jobId`,
  values: { jobId },
});

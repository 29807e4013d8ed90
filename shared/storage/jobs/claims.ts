import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Key } from '../client/row.ts';
import type { RowCodec } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';
import { takenEvents } from '../webhooks/takers.ts';

/*
 * Claims of jobs: one worker at a time has a part of a job. Each claim has a fence, which all that its worker writes is conditional on; a claim that runs
 * out without a word is another worker's, who begins the part again.
 */

/** What the rows of all jobs have. */
export interface Claimable {
  readonly id: Id<'exportJob'> | Id<'importJob'>;
  readonly organizationId: Id<'organization'>;
  /** Counts the claims of the job. */
  readonly fence: number;
  /** How often the part was begun. */
  readonly attempts: number;
}

/** Attributes that make a job due at a time (ms). */
export const dueAt = (id: string, at: number) => INDEX_KEYS.due('run_job', id, at);
const ACTIVE = ['running', 'cancelling'];

/** Condition: the worker still has its claim. */
const isClaimedBy = ({ fence }: Claimable): Condition => ({
  text: '#fence = :fence AND #status IN (:running, :cancelling)',
  values: { fence, running: ACTIVE[0], cancelling: ACTIVE[1] },
});

/** What the stores of all jobs do with their rows. `raised` receives the committed events that somebody takes. */
export const claimStore = <Job extends Claimable>(
  table: Table,
  rows: RowCodec<Job>,
  keyOf: (id: Job['id']) => Key,
  raised: (events: readonly DomainEvent[]) => void,
) => {
  const claimed = async (write: WriteOp): Promise<Job | undefined> => {
    const { ok, row } = await table.write(write);
    return ok && row ? rows.read(row) : undefined;
  };
  return {
    read: (id: Job['id']) => readRow(table, keyOf(id), rows.read),
    /** Claims a job's part, which nobody has at `now`, until a time (ms). */
    claim: (id: Job['id'], now: number, until: number) =>
      claimed({
        update: keyOf(id),
        set: { claimedUntil: until, ...dueAt(id, until) },
        add: { fence: 1, attempts: 1 },
        when: {
          text: '#claimedUntil <= :now AND #status IN (:running, :cancelling)',
          values: { now, running: ACTIVE[0], cancelling: ACTIVE[1] },
        },
      }),
    /** Stores a part's progress without the attributes of `remove`, and claims the next part. */
    advance: (job: Job, progress: Parameters<typeof rows.set>[0], until: number, remove: readonly string[] = []) =>
      claimed({
        update: keyOf(job.id),
        set: { ...rows.set(progress), attempts: 1, claimedUntil: until, ...dueAt(job.id, until) },
        add: { fence: 1 },
        remove,
        when: isClaimedBy(job),
      }),
    /** Gives a claim back: the part may be claimed from `at` (ms) on. */
    async release(job: Job, at: number, attempts: number) {
      const set = { attempts, claimedUntil: at, ...dueAt(job.id, at) };
      await table.write({ update: keyOf(job.id), set, when: isClaimedBy(job) });
    },
    /** Ends a job, lets the organization begin the next one, and raises its event. False where the claim was lost, or `when` does not hold. */
    async end(
      job: Job,
      set: Readonly<Record<string, unknown>>,
      running: Key,
      event: DomainEvent,
      when: Condition = isClaimedBy(job),
    ) {
      const events = await takenEvents(table, job.organizationId, [event]);
      const { ok } = await table.transact([
        { update: keyOf(job.id), set, remove: ['duePk', 'dueAt', 'repeats'], when },
        { delete: running, when: isFreeFor(job.id) },
        ...events.map(eventWrite),
      ]);
      if (ok) raised(events);
      return ok;
    },
  };
};

/** Condition: an organization has no other job of the kind on its way. */
export const isFreeFor = (jobId: string): Condition => ({
  text: `${ABSENT.text} OR #jobId = :jobId`,
  values: { jobId },
});

import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Key, Row } from '../client/row.ts';
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
  readonly status: string;
}

/** Attributes that make a job due at a time (ms). */
export const dueAt = (id: string, at: number) => INDEX_KEYS.due('run_job', id, at);
const ACTIVE = ['running', 'cancelling'];

/** Condition: the worker still has its claim. */
const isClaimedBy = ({ fence }: Claimable): Condition => ({
  text: '#fence = :fence AND #status IN (:running, :cancelling)',
  values: { fence, running: ACTIVE[0], cancelling: ACTIVE[1] },
});

/** The row of a job cannot be read. The job was ended as failed, and its row set aside for the operator: no attempt would read it. */
export class UnreadableJob extends Error {
  override readonly name = 'UnreadableJob';
}

/** Reads one field of a row; undefined where it cannot be read. */
export type ReadField<Job> = <Field extends keyof Job & string>(field: Field) => Job[Field] | undefined;
/** What an unreadable job becomes: it failed, with what can be read of it. */
export interface Failed<Job> {
  readonly job: Job;
  /** When its row is deleted, in Unix seconds. */
  readonly ttl: number;
  readonly running: Key;
  readonly event: DomainEvent;
}
/** Undefined where it cannot even be read whose job it is. */
export type FailUnreadable<Job extends Claimable> = (
  read: ReadField<Job>,
  id: Job['id'],
  now: number,
) => Failed<Job> | undefined;

const fieldReader =
  <Job extends Claimable>(rows: RowCodec<Job>, row: Row): ReadField<Job> =>
  (field) => {
    try {
      return rows.pick(field)(row)[field];
    } catch {
      return undefined;
    }
  };
const isReadable = <Job>(rows: RowCodec<Job>, row: Row): boolean => {
  try {
    rows.read(row);
    return true;
  } catch {
    return false;
  }
};
const isUnchanged = ({ fence }: Row): Condition =>
  fence === undefined ? { text: 'attribute_not_exists(#fence)' } : { text: '#fence = :fence', values: { fence } };

/** What the stores of all jobs do with their rows. `raised` receives the committed events that somebody takes. */
export const claimStore = <Job extends Claimable>(
  table: Table,
  rows: RowCodec<Job>,
  keyOf: (id: Job['id']) => Key,
  raised: (events: readonly DomainEvent[]) => void,
  failUnreadable: FailUnreadable<Job>,
) => {
  /** Ends a job whose row cannot be read, once. Throws in any case. */
  const setAside = async (id: Job['id'], row: Row, now: number): Promise<never> => {
    const failed = failUnreadable(fieldReader(rows, row), id, now);
    // It stays due, and is set aside like any work that fails each time.
    if (!failed) throw new TypeError('The row of a job cannot be read, nor whose it is.');
    const events = await takenEvents(table, failed.job.organizationId, [failed.event]);
    // Counted up, so that only one of many workers ends it, and nobody who has a claim writes over it.
    const ended = { ...failed.job, fence: failed.job.fence + 1 };
    const aside = { ...INDEX_KEYS.setAside('run_job', now), asideFrom: dueAt(id, now).duePk };
    const { ok } = await table.transact([
      { put: { ...rows.write(ended), ttl: failed.ttl, ...aside }, when: isUnchanged(row) },
      { delete: failed.running, when: isFreeFor(id) },
      ...events.map(eventWrite),
    ]);
    if (!ok) throw new Unavailable('A job whose row cannot be read changed meanwhile.');
    raised(events);
    throw new UnreadableJob('The row of a job could not be read: the job failed.');
  };
  /** A job that ended is not due any more, also where the operator made it so. */
  const rest = async ({ id, status }: Job): Promise<void> => {
    await table.write({
      update: keyOf(id),
      remove: ['duePk', 'dueAt', 'asideFrom', 'repeats'],
      when: { text: '#status = :status', values: { status } },
    });
  };
  const claimed = async (write: WriteOp): Promise<Job | undefined> => {
    const { ok, row } = await table.write(write);
    return ok && row ? rows.read(row) : undefined;
  };
  return {
    read: (id: Job['id']) => readRow(table, keyOf(id), rows.read),
    /**
     * Claims a job's part, which nobody has at `now`, until a time (ms). A row that cannot be read ends here, before it is claimed: a claim moves its due time,
     * so that nothing would ever find that it fails each time. Throws `UnreadableJob` then.
     */
    async claim(id: Job['id'], now: number, until: number): Promise<Job | undefined> {
      const row = await table.get(keyOf(id));
      if (!row) return undefined;
      if (!isReadable(rows, row)) return setAside(id, row, now);
      const job = rows.read(row);
      if (!ACTIVE.includes(job.status) && row.duePk !== undefined) await rest(job);
      return claimed({
        update: keyOf(id),
        set: { claimedUntil: until, ...dueAt(id, until) },
        add: { fence: 1, attempts: 1 },
        when: {
          text: '#claimedUntil <= :now AND #status IN (:running, :cancelling)',
          values: { now, running: ACTIVE[0], cancelling: ACTIVE[1] },
        },
      });
    },
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

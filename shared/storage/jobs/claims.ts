import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { transactOnce, updateOnce } from '../client/claim-mark.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition, Update } from '../client/expressions.ts';
import type { Key, Row } from '../client/row.ts';
import type { RowCodec } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';
import { takenEvents } from '../webhooks/takers.ts';

/*
 * Claims of jobs: one worker at a time has a part of a job. Each claim increments a fence, on which all of its worker's writes are
 * conditional; after a claim expires, another worker may restart the part.
 */

/** The common fields of all job rows. */
export interface Claimable {
  readonly id: Id<'exportJob'> | Id<'importJob'>;
  readonly organizationId: Id<'organization'>;
  /** Incremented by each claim of the job. */
  readonly fence: number;
  /** How many times the part was started. */
  readonly attempts: number;
  readonly status: string;
}

/** Attributes that make a job due at a time (ms). */
export const dueAt = (id: string, at: number) => INDEX_KEYS.due('run_job', id, at);
const ACTIVE = ['running', 'cancelling'];

/** Condition: the worker still holds its claim. */
const isClaimedBy = ({ fence }: Claimable): Condition => ({
  text: '#fence = :fence AND #status IN (:running, :cancelling)',
  values: { fence, running: ACTIVE[0], cancelling: ACTIVE[1] },
});

/** The row of a job cannot be read. The job was ended as failed, and its row set aside for the operator, since no retry could read it. */
export class UnreadableJob extends Error {
  override readonly name = 'UnreadableJob';
}

/** Reads one field of a row; undefined if it is invalid. */
export type ReadField<Job> = <Field extends keyof Job & string>(field: Field) => Job[Field] | undefined;
/** An unreadable job ended as failed, with the fields that can be read. */
export interface Failed<Job> {
  readonly job: Job;
  /** When its row is deleted, in Unix seconds. */
  readonly ttl: number;
  readonly running: Key;
  readonly event: DomainEvent;
}
/** Undefined if not even its organization can be read. */
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

/** The common storage operations of jobs. `raised` receives the committed events that have subscribers. */
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
    // It stays due, and is set aside like any work that fails at every attempt.
    if (!failed) throw new TypeError('The row of a job cannot be read, nor whose it is.');
    const events = await takenEvents(table, failed.job.organizationId, [failed.event]);
    // Increments the fence, so that only one of many workers ends it, and no holder of a claim can overwrite it.
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
  /** Removes an ended job from the due index, even if the operator made it due. */
  const rest = async ({ id, status }: Job): Promise<void> => {
    await table.write({
      update: keyOf(id),
      remove: ['duePk', 'dueAt', 'asideFrom', 'repeats'],
      when: { text: '#status = :status', values: { status } },
    });
  };
  const claimed = async (update: Update): Promise<Job | undefined> => {
    const row = await updateOnce(table, update);
    return row && rows.read(row);
  };
  return {
    read: (id: Job['id']) => readRow(table, keyOf(id), rows.read),
    /**
     * Claims a job's part, if unclaimed at `now`, until a time (ms). An unreadable row is ended here, before the claim: a claim moves its
     * due time, so its failures would never be counted. Throws `UnreadableJob` then.
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
    /** Stores a part's progress, removing the attributes in `remove`, and claims the next part. */
    advance: (job: Job, progress: Parameters<typeof rows.set>[0], until: number, remove: readonly string[] = []) =>
      claimed({
        update: keyOf(job.id),
        set: { ...rows.set(progress), attempts: 1, claimedUntil: until, ...dueAt(job.id, until) },
        add: { fence: 1 },
        remove,
        when: isClaimedBy(job),
      }),
    /** Releases a claim: the part may be claimed from `at` (ms) on. */
    async release(job: Job, at: number, attempts: number) {
      const set = { attempts, claimedUntil: at, ...dueAt(job.id, at) };
      await table.write({ update: keyOf(job.id), set, when: isClaimedBy(job) });
    },
    /**
     * Ends a job, allows the organization to start the next one, and raises its event. False if the claim was lost, or `when` does not
     * hold.
     */
    async end(
      job: Job,
      set: Readonly<Record<string, unknown>>,
      running: Key,
      event: DomainEvent,
      when: Condition = isClaimedBy(job),
    ) {
      const events = await takenEvents(table, job.organizationId, [event]);
      const ended = { update: keyOf(job.id), set, remove: ['duePk', 'dueAt', 'repeats'], when };
      const { ok } = await transactOnce(table, ended, [
        { delete: running, when: isFreeFor(job.id) },
        ...events.map(eventWrite),
      ]);
      if (ok) raised(events);
      return ok;
    },
  };
};

/** Condition: the organization has no other running job of the kind. */
export const isFreeFor = (jobId: string): Condition => ({
  text: `${ABSENT.text} OR #jobId = :jobId`,
  values: { jobId },
});

import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { QUEUE_OF_KIND, type QueueName, type WorkItem } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { duePartition, duePartitions } from '../partitions.ts';
import { dueShards } from '../table-indexes.ts';

/** Every kind of work. */
export const WORK_KINDS = Object.keys(QUEUE_OF_KIND) as readonly WorkItem['kind'][];

/** Concurrent queries: a listing reads every partition of the due index. */
const QUERIES_IN_FLIGHT = 32;

/** When a partition's oldest row that is due at `now` was due, in ms; undefined where none is. Half a read unit. */
const oldestDue = async (table: Table, partition: string, now: number): Promise<number | undefined> => {
  const sort = { text: '#sk <= :now', values: { now } };
  const { rows } = await table.query({ index: 'due', partition, sort, limit: 1 });
  return rows[0] && Number(rows[0].dueAt);
};

const secondsSince = (at: number, now: number): number => Math.floor((now - at) / 1000);

/**
 * Age in s of the queue's oldest overdue work item in the due index; null when none is due. The table is the source of truth, so this is
 * the real backlog, however many messages the queue holds.
 */
export const backlogSeconds = async (table: Table, queue: QueueName, now: number): Promise<number | null> => {
  const partitions = WORK_KINDS.filter((kind) => QUEUE_OF_KIND[kind] === queue).flatMap(duePartitions);
  const due = await mapConcurrently(partitions, QUERIES_IN_FLIGHT, (partition) => oldestDue(table, partition, now));
  const oldest = Math.min(...due.flatMap((at) => at ?? []));
  return Number.isFinite(oldest) ? secondsSince(oldest, now) : null;
};

/** A partition of the due index with overdue work. */
export interface OverdueShard {
  readonly shard: number;
  /** Rows that are overdue, `MAX_COUNTED` at most. */
  readonly overdue: number;
  readonly oldestDueSeconds: number;
  /** The last dispatcher's lease expired without being released: it crashed, or no dispatcher has run since. */
  readonly leaseExpired: boolean;
}

/** A kind of work of which some is overdue or set aside. */
export interface StuckWork {
  readonly kind: WorkItem['kind'];
  readonly queue: QueueName;
  readonly shards: readonly OverdueShard[];
  /** Rows that failed for hours and wait for the operator, `MAX_COUNTED` at most. */
  readonly setAside: number;
}

/** Rows of a partition that are counted. */
export const MAX_COUNTED = 100;

const overdueShard = async (
  table: Table,
  kind: WorkItem['kind'],
  shard: number,
  { now, graceMs }: { readonly now: number; readonly graceMs: number },
): Promise<OverdueShard[]> => {
  const sort = { text: '#sk <= :until', values: { until: now - graceMs } };
  const range = { index: 'due', partition: duePartition(kind, shard), sort, limit: MAX_COUNTED } as const;
  const { rows } = await table.query({ ...range, only: ['dueAt'] });
  const oldest = rows[0] && Number(rows[0].dueAt);
  if (oldest === undefined) return [];
  const lease = await table.get(KEYS.dispatch(kind, shard), { only: ['leasedUntil'] });
  const leaseExpired = Number(lease?.leasedUntil ?? Number.POSITIVE_INFINITY) < now;
  return [{ shard, overdue: rows.length, oldestDueSeconds: secondsSince(oldest, now), leaseExpired }];
};

const countSetAside = async (table: Table, kind: WorkItem['kind']): Promise<number> => {
  const partition = INDEX_KEYS.setAside(kind, 0).duePk;
  const { rows } = await table.query({ index: 'due', partition, only: ['dueAt'], limit: MAX_COUNTED });
  return rows.length;
};

/**
 * The kinds of work of which some has been overdue for `graceMs`, by partition of the due index, or is set aside. Queries each partition of
 * each kind: about 330 of half a read unit, 32 at once, and one read for each partition with overdue work.
 */
export const stuckWork = async (table: Table, now: number, graceMs: number): Promise<readonly StuckWork[]> => {
  const partitions = WORK_KINDS.flatMap((kind) =>
    Array.from({ length: dueShards(kind) }, (_, shard) => ({ kind, shard })),
  );
  const [found, setAside] = await Promise.all([
    mapConcurrently(partitions, QUERIES_IN_FLIGHT, async ({ kind, shard }) => ({
      kind,
      shards: await overdueShard(table, kind, shard, { now, graceMs }),
    })),
    mapConcurrently(WORK_KINDS, QUERIES_IN_FLIGHT, (kind) => countSetAside(table, kind)),
  ]);
  return WORK_KINDS.map((kind, at) => ({
    kind,
    queue: QUEUE_OF_KIND[kind],
    shards: found.filter((each) => each.kind === kind).flatMap(({ shards }) => shards),
    setAside: setAside[at] ?? 0,
  })).filter(({ shards, setAside: aside }) => shards.length > 0 || aside > 0);
};

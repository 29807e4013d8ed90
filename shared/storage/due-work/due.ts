import * as z from 'zod';
import type { DuePosition, DueShard } from '../../queues/dispatch-shard.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { pageKeys } from '../client/pages.ts';
import type { Table } from '../client/table.ts';
import { duePartition, duePartitions } from '../partitions.ts';

const untilCondition = (until: number) => ({ text: '#sk <= :until', values: { until } });

/** Rows of a kind that were due until `until` (ms), oldest first in each shard, about `max` in all. */
export const overdue = async (
  table: Table,
  kind: WorkItem['kind'],
  until: number,
  max: number,
): Promise<WorkItem[]> => {
  const partitions = duePartitions(kind);
  const page = { skip: 0, limit: Math.ceil(max / partitions.length) };
  const sort = untilCondition(until);
  const found = await Promise.all(
    partitions.map((partition) => pageKeys(table, { index: 'due', partition, sort }, page)),
  );
  return found.flat().map(({ pk, sk }) => ({ kind, pk, sk }));
};

const positionRow = z.object({ dueAt: z.number(), pk: z.string(), sk: z.string() });

/** Up to `limit` rows of a shard after a position that were due until `until` (ms), oldest first. `after` must not be due later. */
export const overdueAfter = async (
  table: Table,
  { kind, shard }: DueShard,
  after: DuePosition | undefined,
  until: number,
  limit: number,
): Promise<readonly DuePosition[]> => {
  const partition = duePartition(kind, shard);
  const { rows } = await table.query({
    index: 'due',
    partition,
    sort: untilCondition(until),
    only: ['pk', 'sk', 'dueAt'],
    limit,
    startKey: after && { ...after, duePk: partition },
  });
  return rows.map((row) => positionRow.parse(row));
};

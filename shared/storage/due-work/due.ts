import type { WorkItem } from '../../queues/queues.ts';
import { pageKeys } from '../client/pages.ts';
import type { Table } from '../client/table.ts';
import { duePartitions } from '../partitions.ts';

/** Rows of a kind that were due before `before` (ms), oldest first in each shard, about `max` in all. */
export const overdue = async (
  table: Table,
  kind: WorkItem['kind'],
  before: number,
  max: number,
): Promise<WorkItem[]> => {
  const partitions = duePartitions(kind);
  const page = { skip: 0, limit: Math.ceil(max / partitions.length) };
  const sort = { text: '#sk <= :before', values: { before } };
  const found = await Promise.all(
    partitions.map((partition) => pageKeys(table, { index: 'due', partition, sort }, page)),
  );
  return found.flat().map(({ pk, sk }) => ({ kind, pk, sk }));
};

import type { DueHint } from '../queues/queues.ts';
import { duePartitions } from './access-patterns.ts';
import type { QueryRange, Table } from './table.ts';

/** Rows of a kind that were due before `before` (ms), oldest first in each shard, `most` in all. */
export const overdue = async (
  table: Table,
  kind: DueHint['kind'],
  before: number,
  most: number,
): Promise<DueHint[]> => {
  const partitions = duePartitions(kind);
  const share = Math.ceil(most / partitions.length);
  const found = await Promise.all(partitions.map((partition) => shardOf(table, partition, before, share)));
  return found.flat().map(({ pk, sk }) => ({ kind, pk, sk }));
};

const shardOf = async (table: Table, partition: string, before: number, share: number) => {
  const rows: { pk: string; sk: string }[] = [];
  let startKey: QueryRange['startKey'];
  do {
    const page = await table.query({
      index: 'due',
      partition,
      sort: { text: '#sk <= :before', values: { before } },
      only: ['pk', 'sk'],
      limit: share - rows.length,
      startKey,
    });
    rows.push(...page.rows);
    startKey = page.nextKey;
  } while (startKey && rows.length < share);
  return rows;
};

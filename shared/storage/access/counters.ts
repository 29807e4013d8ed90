import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { COUNTER_SHARDS, shardOf } from '../table-indexes.ts';

/** What is counted without a limit: how many of them an organization ever had. Counts with a limit are attributes of its own row. */
export const COUNTED = ['contacts', 'keys'] as const;
export type Counted = (typeof COUNTED)[number];

const counterRow = z.object({ count: z.int() });

/** Counts `by` objects on the shard of an id, in the transaction that stores them. Neither exists nor conflicts where others are counted. */
export const countWrite = (
  organizationId: Id<'organization'>,
  counted: Counted,
  id: string,
  by = 1,
): Extract<WriteOp, { update: unknown }> => ({
  update: KEYS.counter(organizationId, counted, shardOf(id, COUNTER_SHARDS)),
  add: { count: by },
});

/** Organizations from before their counters were spread have counts on their own rows, until `admin table migrate` has moved them. */
const ownCounts = z.object({ contacts: z.int().default(0), keys: z.int().default(0) });

/** How many objects of a kind an organization ever had. One query of at most 128 short rows and one read, in parallel. */
export const readCount = async (
  table: Table,
  organizationId: Id<'organization'>,
  counted: Counted,
): Promise<number> => {
  const { pk: partition } = KEYS.counter(organizationId, counted, 0);
  const sort = { text: 'begins_with(#sk, :counted)', values: { counted: `${counted}#` } };
  const [shards, own] = await Promise.all([
    table.queryAll({ partition, sort, consistent: true }),
    table.get(KEYS.organization(organizationId), { only: [counted] }),
  ]);
  const spread = shards.map((row) => counterRow.parse(row).count);
  return spread.reduce((sum, count) => sum + count, ownCounts.parse(own ?? {})[counted]);
};

import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
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
  objectId: string,
  by = 1,
): Extract<WriteOp, { update: unknown }> => ({
  update: KEYS.counter(organizationId, counted, shardOf(objectId, COUNTER_SHARDS)),
  add: { count: by },
});

/** Organizations from before their counters were spread have counts on their own rows, until `admin table migrate` has moved them. */
const ownCounts = z.object({ contacts: z.int().default(0), keys: z.int().default(0) });

/** Moves the counts on an organization's own row to the shards; for the transaction that takes them from it. */
export const movedCounts = (organization: Row): WriteOp[] => {
  const counts = ownCounts.parse(organization);
  return COUNTED.flatMap((counted) => {
    const by = counts[counted];
    return by === 0 ? [] : [countWrite(id('organization').parse(organization.id), counted, 'moved', by)];
  });
};

const readOwn = async (table: Table, organizationId: Id<'organization'>, counted: Counted): Promise<number> =>
  ownCounts.parse((await table.get(KEYS.organization(organizationId), { only: [counted] })) ?? {})[counted];

/**
 * How many objects of a kind an organization ever had. One read, then one query of at most 128 short rows; once more where the count on the
 * organization's row moved meanwhile.
 */
export const readCount = async (
  table: Table,
  organizationId: Id<'organization'>,
  counted: Counted,
): Promise<number> => {
  const { pk: partition } = KEYS.counter(organizationId, counted, 0);
  const sort = { text: 'begins_with(#sk, :counted)', values: { counted: `${counted}#` } };
  const own = await readOwn(table, organizationId, counted);
  const shards = await table.queryAll({ partition, sort, consistent: true });
  if (own !== 0 && own !== (await readOwn(table, organizationId, counted)))
    return readCount(table, organizationId, counted);
  return shards.reduce((sum, row) => sum + counterRow.parse(row).count, own);
};

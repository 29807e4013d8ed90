import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { COUNTER_SHARDS, LIMIT_SHARDS, shardOf } from '../table-indexes.ts';

/** Unlimited counters: an organization's contacts, companies and activities, open and done, and the keys that it ever had. */
export const COUNTED = ['companies', 'contacts', 'keys', 'openActivities', 'doneActivities'] as const;
/** Counters with a limit per organization (limits.ts). */
export const LIMITED = [
  'accounts',
  'emailTemplates',
  'flows',
  'journeys',
  'lists',
  'numbers',
  'pipelines',
  'segments',
  'senders',
  'smppAccounts',
  'templates',
] as const;
export type Limited = (typeof LIMITED)[number];
export type Counted = (typeof COUNTED)[number] | Limited;

export const counterRow = z.object({ count: z.int() });
type Update = Extract<WriteOp, { update: unknown }>;

/**
 * Adds `by` to the counter shard of an id, in the transaction that stores the objects. Adds no condition, and no conflict with counts on
 * other shards.
 */
export const countWrite = (
  organizationId: Id<'organization'>,
  counted: (typeof COUNTED)[number],
  objectId: string,
  by = 1,
): Update => ({
  update: KEYS.counter(organizationId, counted, shardOf(objectId, COUNTER_SHARDS)),
  add: { count: by },
});

/** A counter shard's part of a whole number: the parts of all shards add up to it. */
export const partOf = (whole: number, shard: number): number =>
  Math.floor(whole / LIMIT_SHARDS) + (shard < whole % LIMIT_SHARDS ? 1 : 0);

/** Distributes a limited counter evenly over its shards, so that none exceeds its part of the limit. */
export const spreadWrites = (organizationId: Id<'organization'>, counted: Limited, count: number): Update[] =>
  Array.from({ length: LIMIT_SHARDS }, (_, shard) => ({ shard, by: partOf(count, shard) })).flatMap(({ shard, by }) =>
    by === 0 ? [] : [{ update: KEYS.counter(organizationId, counted, shard), add: { count: by } }],
  );

/** Organizations from before counters were sharded have counts on their own rows, until they are moved. */
const own = z.int().default(0);
const ownCounts = z.object({
  companies: own,
  contacts: own,
  keys: own,
  openActivities: own,
  doneActivities: own,
  accounts: own,
  emailTemplates: own,
  flows: own,
  journeys: own,
  lists: own,
  numbers: own,
  pipelines: own,
  segments: own,
  senders: own,
  smppAccounts: own,
  templates: own,
} satisfies Record<Counted, typeof own>);

/** Moves the counts on an organization's own row to the shards, in the transaction that removes them there. */
export const movedCounts = (organization: Row): WriteOp[] => {
  const counts = ownCounts.parse(organization);
  const organizationId = id('organization').parse(organization.id);
  return [
    ...COUNTED.flatMap((counted) =>
      counts[counted] === 0 ? [] : [countWrite(organizationId, counted, 'moved', counts[counted])],
    ),
    ...LIMITED.flatMap((counted) => spreadWrites(organizationId, counted, counts[counted])),
  ];
};

/** The count of a kind on an organization's own row; 0 once it was moved. One consistent read. */
export const readOwn = async (table: Table, organizationId: Id<'organization'>, counted: Counted): Promise<number> =>
  ownCounts.parse((await table.get(KEYS.organization(organizationId), { only: [counted] })) ?? {})[counted];

/** The shards of a count. One query of short rows, consistent. */
export const readShards = (table: Table, organizationId: Id<'organization'>, counted: Counted): Promise<Row[]> =>
  table.queryAll({
    partition: KEYS.counter(organizationId, counted, 0).pk,
    sort: { text: 'begins_with(#sk, :counted)', values: { counted: `${counted}#` } },
    consistent: true,
  });

/**
 * The number of an organization's objects of a kind; for keys, ever created. One read, then one query of at most 128 short rows; repeated
 * if the count on the organization's row was moved meanwhile.
 */
export const readCount = async (
  table: Table,
  organizationId: Id<'organization'>,
  counted: Counted,
): Promise<number> => {
  const own = await readOwn(table, organizationId, counted);
  const shards = await readShards(table, organizationId, counted);
  if (own !== 0 && own !== (await readOwn(table, organizationId, counted)))
    return readCount(table, organizationId, counted);
  return shards.reduce((sum, row) => sum + counterRow.parse(row).count, own);
};

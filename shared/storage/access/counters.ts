import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { COUNTER_SHARDS, LIMIT_SHARDS, shardOf } from '../table-indexes.ts';

/** What is counted without a limit: how many contacts, companies and activities, open and done, an organization has, and how many keys it ever had. */
export const COUNTED = ['companies', 'contacts', 'keys', 'openActivities', 'doneActivities'] as const;
/** What is counted within a limit: how many of them an organization has (limits.ts). */
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

/** Counts `by` objects on the shard of an id, in the transaction that stores them. Neither exists nor conflicts where others are counted. */
export const countWrite = (
  organizationId: Id<'organization'>,
  counted: (typeof COUNTED)[number],
  objectId: string,
  by = 1,
): Update => ({
  update: KEYS.counter(organizationId, counted, shardOf(objectId, COUNTER_SHARDS)),
  add: { count: by },
});

/** The part of a whole number that is a limited count's shard's: the parts add up to it. */
export const partOf = (whole: number, shard: number): number =>
  Math.floor(whole / LIMIT_SHARDS) + (shard < whole % LIMIT_SHARDS ? 1 : 0);

/** Spreads a limited count over its shards, evenly: none gets more than its part of the limit. */
export const spreadWrites = (organizationId: Id<'organization'>, counted: Limited, count: number): Update[] =>
  Array.from({ length: LIMIT_SHARDS }, (_, shard) => ({ shard, by: partOf(count, shard) })).flatMap(({ shard, by }) =>
    by === 0 ? [] : [{ update: KEYS.counter(organizationId, counted, shard), add: { count: by } }],
  );

/** Organizations from before their counters were spread have counts on their own rows, until they are moved. */
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

/** Moves the counts on an organization's own row to the shards; for the transaction that takes them from it. */
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

/** The count of a kind on an organization's own row; 0 once it is moved. One consistent read. */
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
 * How many objects of a kind an organization has; of keys how many it ever had. One read, then one query of at most 128 short rows; once more
 * where the count on the organization's row moved meanwhile.
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

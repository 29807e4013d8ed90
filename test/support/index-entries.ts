import { compareValues } from '../../infra/local/table-laws/conditions.ts';
import type { AttributeValue, Item } from '../../infra/local/table-laws/model.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import type { Key } from '../../shared/storage/client/row.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { overdue as overdueByQueries } from '../../shared/storage/due-work/due.ts';
import { duePartitions } from '../../shared/storage/partitions.ts';
import { INDEXES } from '../../shared/storage/table-indexes.ts';

/*
 * Partitions of an index that are read together, most of which are empty: work that is due has 120 of them in a bulk send alone, and an
 * organization's messages 54. With a query of each, tests spent most of their time on empty answers.
 * That both find the same is tested (test/table-laws/index-entries.test.ts).
 */

/** The entries that an index has in these partitions, in their order; undefined where they have to be queried. */
export type ReadIndex = (
  table: string,
  index: keyof typeof INDEXES,
  partitions: readonly string[],
) => Promise<readonly Item[] | undefined>;

const reads = new WeakMap<Table, ReadIndex>();
/** Lets the partitions of a table's indexes be read at once. Not behind laws, by which an index is late. */
export const readsIndexesWith = (table: Table, read: ReadIndex): Table => {
  reads.set(table, read);
  return table;
};

/** The entries in these partitions; undefined where each has to be queried. */
const entriesIn = async (table: Table, index: keyof typeof INDEXES, partitions: readonly string[]) =>
  reads.get(table)?.(table.name, index, partitions);

const keyOf = ({ pk, sk }: Item): Key => ({ pk: pk?.S ?? '', sk: sk?.S ?? '' });

/** The keys of what an index has in these partitions, in their order; `query` answers those of one, where they cannot be read at once. */
export const keysIn = async (
  table: Table,
  index: keyof typeof INDEXES,
  partitions: readonly string[],
  query: (partition: string) => Promise<readonly Key[]>,
): Promise<readonly Key[]> => {
  const entries = await entriesIn(table, index, partitions);
  return entries ? entries.map(keyOf) : (await Promise.all(partitions.map(query))).flat();
};

/** The work of these kinds that was due until `until`, as the dispatcher finds it (shared/storage/due-work/due.ts). */
export const overdueOf = async (
  table: Table,
  kinds: readonly WorkItem['kind'][],
  until: number,
  max: number,
): Promise<WorkItem[]> => {
  const entries = await entriesIn(table, 'due', kinds.flatMap(duePartitions));
  if (!entries) return (await Promise.all(kinds.map((kind) => overdueByQueries(table, kind, until, max)))).flat();
  const due = entries.filter(({ dueAt }) => Number(dueAt?.N) <= until);
  const byPartition = Map.groupBy(due, ({ duePk }) => duePk?.S ?? '');
  return kinds.flatMap((kind) => {
    const partitions = duePartitions(kind);
    const each = Math.ceil(max / partitions.length);
    const found = partitions.flatMap((partition) => byPartition.get(partition)?.slice(0, each) ?? []);
    return found.map((entry) => ({ kind, ...keyOf(entry) }));
  });
};
export const overdue = (table: Table, kind: WorkItem['kind'], until: number, max: number): Promise<WorkItem[]> =>
  overdueOf(table, [kind], until, max);

/** A scan that met more entries costs more than queries of the partitions. */
const MANY = 2_000;

interface Page {
  readonly Items: readonly Item[];
  readonly ScannedCount: number;
  readonly LastEvaluatedKey?: Item;
}
/** The texts that the names of these partitions begin with. */
const beginningsOf = (partitions: readonly string[]): readonly string[] => [
  ...new Set(partitions.map((partition) => partition.replace(/#\d+$/, ''))),
];
const scanInput = (TableName: string, IndexName: keyof typeof INDEXES, partitions: readonly string[]) => {
  const { partitionKey, sortKey } = INDEXES[IndexName];
  const beginnings = beginningsOf(partitions).map((text, at) => [`:b${at}`, { S: text }] as const);
  return {
    TableName,
    IndexName,
    FilterExpression: beginnings.map(([name]) => `begins_with(#partition, ${name})`).join(' OR '),
    ProjectionExpression: 'pk, sk, #partition, #sort',
    ExpressionAttributeNames: { '#partition': partitionKey, '#sort': sortKey },
    ExpressionAttributeValues: Object.fromEntries(beginnings),
  };
};

/** Reads indexes by scans, which `scan` makes; undefined where it cannot. */
export const readByScan = (scan: (input: object) => Promise<unknown>): ReadIndex => {
  const larger = new Set<string>();
  return async (table, index, partitions) => {
    if (larger.has(`${table} ${index}`)) return undefined;
    const places = new Map(partitions.map((partition, at) => [partition, at]));
    const { partitionKey, sortKey } = INDEXES[index];
    const placeOf = (item: Item) => places.get(item[partitionKey]?.S ?? '') ?? -1;
    const found: Item[] = [];
    const input = scanInput(table, index, partitions);
    let [read, from] = [0, undefined as Item | undefined];
    do {
      const page = (await scan({ ...input, ...(from ? { ExclusiveStartKey: from } : {}) })) as Page | undefined;
      if (!page) return undefined;
      found.push(...page.Items.filter((item) => placeOf(item) >= 0));
      read += page.ScannedCount;
      from = page.LastEvaluatedKey;
    } while (from);
    if (read > MANY) larger.add(`${table} ${index}`);
    const order = (one: Item, other: Item): number =>
      [sortKey, 'pk', 'sk'].reduce(
        (sum, name) => sum || (compareValues(one[name] as AttributeValue, other[name] as AttributeValue) ?? 0),
        placeOf(one) - placeOf(other),
      );
    return found.sort(order);
  };
};

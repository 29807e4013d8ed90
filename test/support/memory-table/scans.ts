import { createHash } from 'node:crypto';
import { parseCondition, type Substitutes } from '../../../infra/local/table-laws/conditions.ts';
import type { Item } from '../../../infra/local/table-laws/model.ts';
import { itemBytes } from '../../../infra/local/table-laws/units.ts';
import { checkSubstitutes, projectedNames, shownOf } from './expressions.ts';
import { MAX_PAGE_BYTES } from './queries.ts';
import { REFUSALS } from './refusals.ts';
import { firstBehind, type SortedRows, type TableRows } from './rows.ts';

export interface ScanRequest extends Substitutes {
  readonly IndexName?: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly Limit?: number;
  readonly ExclusiveStartKey?: Item;
  readonly Select?: string;
  readonly ConsistentRead?: boolean;
  readonly TableName?: string;
  readonly Segment?: number;
  readonly TotalSegments?: number;
}
const KNOWN = new Set([
  'ConsistentRead',
  'ExclusiveStartKey',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'FilterExpression',
  'IndexName',
  'Limit',
  'ProjectionExpression',
  'Segment',
  'Select',
  'TableName',
  'TotalSegments',
]);

/** Whether a partition is of the segment that a request reads. */
const isOfSegment = ({ Segment = 0, TotalSegments = 1 }: ScanRequest, partition: string): boolean =>
  TotalSegments === 1 || createHash('sha1').update(partition).digest().readUInt16BE() % TotalSegments === Segment;

/** The rows of a segment after a key, partition by partition in the order of their names. */
const rowsOf = function* (rows: SortedRows, request: ScanRequest): Generator<Item> {
  const { ExclusiveStartKey: start } = request;
  const first = start?.[rows.partitionKey]?.S;
  for (const name of rows.partitions().toSorted()) {
    if ((first !== undefined && name < first) || !isOfSegment(request, name)) continue;
    const partition = [...rows.partition(name)];
    const from = start && name === first ? firstBehind(partition, (row) => rows.compare(row, start) > 0) : 0;
    yield* partition.slice(from);
  }
};

/** A page of all rows, which ends at its limit, or before the row that would make it larger than 1 MB. */
export const scanPage = (table: TableRows, request: ScanRequest) => {
  const unknown = Object.keys(request).filter((name) => !KNOWN.has(name));
  if (unknown.length > 0) throw new TypeError(`The table in memory scans without ${unknown.join(', ')}`);
  checkSubstitutes(request, [request.FilterExpression, request.ProjectionExpression]);
  const rows = request.IndexName ? table.indexes.get(request.IndexName) : table.base;
  if (!rows) throw REFUSALS.invalid(`The table does not have the index ${request.IndexName}`);
  const passes = parseCondition(request.FilterExpression, request);
  const names = projectedNames(request.ProjectionExpression, request);
  const Items: Item[] = [];
  let [read, bytes] = [0, 0];
  let last: Item | undefined;
  for (const item of rowsOf(rows, request)) {
    const entry = shownOf(item, undefined, rows.shown);
    bytes += itemBytes(entry);
    const isFull = (bytes > MAX_PAGE_BYTES && read > 0) || read >= (request.Limit ?? Number.POSITIVE_INFINITY);
    if (isFull) {
      const LastEvaluatedKey = shownOf(last ?? {}, [rows.partitionKey, ...rows.order], undefined);
      return pageOf(request, Items, read, LastEvaluatedKey);
    }
    last = item;
    read += 1;
    if (passes(entry)) Items.push(shownOf(item, names, rows.shown));
  }
  return pageOf(request, Items, read);
};

const pageOf = ({ Select }: ScanRequest, Items: readonly Item[], ScannedCount: number, LastEvaluatedKey?: Item) => ({
  ...(Select === 'COUNT' ? {} : { Items }),
  Count: Items.length,
  ScannedCount,
  ...(LastEvaluatedKey ? { LastEvaluatedKey } : {}),
});

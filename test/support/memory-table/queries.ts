import {
  cachedByText,
  compareValues,
  parseCondition,
  type Substitutes,
  UnknownExpression,
} from '../../../infra/local/table-laws/conditions.ts';
import type { AttributeValue, Item } from '../../../infra/local/table-laws/model.ts';
import { itemBytes } from '../../../infra/local/table-laws/units.ts';
import { checkSubstitutes, projectedNames, shownOf } from './expressions.ts';
import { REFUSALS } from './refusals.ts';
import { firstBehind, type SortedRows, type TableRows } from './rows.ts';

export const MAX_PAGE_BYTES = 1024 * 1024;

export interface QueryRequest extends Substitutes {
  readonly IndexName?: string;
  readonly KeyConditionExpression: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ScanIndexForward?: boolean;
  readonly Limit?: number;
  readonly ConsistentRead?: boolean;
  readonly ExclusiveStartKey?: Item;
  readonly Select?: string;
}

/** A condition of a query on keys, by its placeholders. */
interface KeyCondition {
  readonly partition: readonly [name: string, value: string];
  readonly sort?: { readonly name: string; readonly operator: string; readonly values: readonly string[] };
}

const PARTS: readonly (readonly [pattern: RegExp, operator?: string])[] = [
  [/^(#\w+) (=|<=?|>=?) (:\w+)$/],
  [/^(#\w+) BETWEEN (:\w+) AND (:\w+)$/, 'BETWEEN'],
  [/^begins_with\((#\w+), (:\w+)\)$/, 'begins_with'],
];

const sortOf = (text: string): NonNullable<KeyCondition['sort']> => {
  for (const [pattern, operator] of PARTS) {
    const [, name, ...rest] = pattern.exec(text) ?? [];
    const [first = '', ...others] = rest;
    if (name) return operator ? { name, operator, values: rest } : { name, operator: first, values: others };
  }
  throw new UnknownExpression(text);
};

const parsed = cachedByText((text): KeyCondition => {
  const [, name = '', value = '', sort] = /^(#\w+) = (:\w+)(?: AND (.+))?$/.exec(text) ?? [];
  if (!name) throw new UnknownExpression(text);
  return { partition: [name, value], ...(sort ? { sort: sortOf(sort) } : {}) };
});

/** Rows of a partition between two places. */
type Range = readonly [from: number, to: number];

const orderTo = (bound: AttributeValue | undefined, value: AttributeValue | undefined): number => {
  const order = bound && value && compareValues(value, bound);
  if (order === undefined) throw REFUSALS.invalid('a sort key is compared with a value of another type');
  return order;
};

const rangeOf = (rows: readonly Item[], key: string, operator: string, bounds: readonly AttributeValue[]): Range => {
  const [lower, upper = lower] = bounds;
  const from = () => firstBehind(rows, (row) => orderTo(lower, row[key]) >= 0);
  const behind = (bound = lower) => firstBehind(rows, (row) => orderTo(bound, row[key]) > 0);
  switch (operator) {
    case '=':
      return [from(), behind()];
    case '<':
      return [0, from()];
    case '<=':
      return [0, behind()];
    case '>':
      return [behind(), rows.length];
    case '>=':
      return [from(), rows.length];
    case 'BETWEEN':
      if (orderTo(lower, upper) < 0) throw REFUSALS.invalid('BETWEEN: the upper bound is below the lower one');
      return [from(), behind(upper)];
    default: {
      const start = lower?.S;
      if (start === undefined) throw REFUSALS.invalid('begins_with something else than a text');
      return [from(), firstBehind(rows, (row) => orderTo(lower, row[key]) >= 0 && !row[key]?.S?.startsWith(start))];
    }
  }
};

/** The rows that a query's keys select, in the order of its page, after where it starts. */
const selected = (rows: SortedRows, request: QueryRequest): readonly Item[] => {
  const { partition, sort } = parsed(request.KeyConditionExpression);
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = request;
  const isOfKeys = names[partition[0]] === rows.partitionKey && (!sort || names[sort.name] === rows.sortKey);
  if (!isOfKeys) throw REFUSALS.invalid('Query condition missed key schema element');
  const all = rows.partition(values[partition[1]]?.S ?? '');
  const bounds = sort?.values.map((name) => values[name] as AttributeValue) ?? [];
  let [from, to] = sort ? rangeOf(all, rows.sortKey, sort.operator, bounds) : [0, all.length];
  const { ExclusiveStartKey: start, ScanIndexForward: forward = true } = request;
  if (start) {
    const keys = [rows.partitionKey, ...rows.order];
    const isKey = keys.every((name) => start[name]) && Object.keys(start).length === new Set(keys).size;
    if (!isKey) throw REFUSALS.invalid('The provided starting key is invalid');
    if (forward)
      from = Math.max(
        from,
        firstBehind(all, (row) => rows.compare(row, start) > 0),
      );
    else
      to = Math.min(
        to,
        firstBehind(all, (row) => rows.compare(row, start) >= 0),
      );
  }
  const found = all.slice(from, Math.max(from, to));
  return forward ? found : found.reverse();
};

const check = (request: QueryRequest): void => {
  const { KeyConditionExpression, FilterExpression, ProjectionExpression, IndexName, Limit, Select } = request;
  checkSubstitutes(request, [KeyConditionExpression, FilterExpression, ProjectionExpression]);
  if (IndexName && request.ConsistentRead) throw REFUSALS.invalid('Consistent reads are not supported on an index');
  if (Limit !== undefined && Limit < 1) throw REFUSALS.invalid('Limit must be at least 1');
  if (Select !== undefined && (Select !== 'COUNT' || ProjectionExpression)) throw REFUSALS.invalid(`Select ${Select}`);
};

/** A page of a query, which ends at its limit, or before what would make it larger than 1 MB. */
export const queryPage = (table: TableRows, request: QueryRequest) => {
  check(request);
  const rows = request.IndexName ? table.indexes.get(request.IndexName) : table.base;
  if (!rows) throw REFUSALS.invalid(`The table does not have the index ${request.IndexName}`);
  const { ExpressionAttributeNames: given = {} } = request;
  if (
    request.FilterExpression?.match(/#\w+/g)?.some((name) =>
      [rows.partitionKey, rows.sortKey].includes(given[name] ?? ''),
    )
  )
    throw REFUSALS.invalid('Filter Expression can only contain non-primary key attributes');
  const found = selected(rows, request);
  const passes = parseCondition(request.FilterExpression, request);
  const names = projectedNames(request.ProjectionExpression, request);
  const Items: Item[] = [];
  let [read, bytes] = [0, 0];
  for (const item of found) {
    if (read >= (request.Limit ?? Number.POSITIVE_INFINITY)) break;
    const entry = shownOf(item, undefined, rows.shown);
    // Smaller results cannot fill a page.
    bytes += found.length > 2 ? itemBytes(entry) : 0;
    if (bytes > MAX_PAGE_BYTES && read > 0) break;
    read += 1;
    if (passes(entry)) Items.push(shownOf(item, names, rows.shown));
  }
  const last = found[read - 1];
  const hasMore = read < found.length || read === request.Limit;
  return {
    ...(request.Select === 'COUNT' ? {} : { Items }),
    Count: Items.length,
    ScannedCount: read,
    ...(last && hasMore ? { LastEvaluatedKey: shownOf(last, [rows.partitionKey, ...rows.order], undefined) } : {}),
  };
};

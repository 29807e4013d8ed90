import {
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  type QueryCommandInput,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, type NativeAttributeValue, unmarshall } from '@aws-sdk/util-dynamodb';
import type { ConflictPatience } from '../../domain/core/retry-on-conflict.ts';
import { getMany, putMany } from './batch-calls.ts';
import { atNextAttempt, type Condition, expressCondition, toTransactItem, type WriteOp } from './expressions.ts';
import { withRetries } from './retries.ts';
import { type Key, type Row, SHAPE } from './row.ts';
import { type Segment, scanSegment } from './scan.ts';
import { writeOne } from './write-one.ts';

/** Why one operation of a cancelled transaction failed; `row` is the current row, when its condition failed. */
export interface CancelReason {
  readonly conditionFailed: boolean;
  readonly row?: Row;
}
export type TransactOutcome =
  | { readonly ok: true }
  /** `met`: no condition failed; these operations conflicted with others. Only if the caller requested it. */
  | { readonly ok: false; readonly reasons: readonly CancelReason[]; readonly met?: readonly number[] };

export interface QueryRange {
  readonly index?: 'gsi1' | 'gsi2' | 'gsi3' | 'gsi4' | 'due';
  /** The partition's value. */
  readonly partition: string;
  /** Condition on the sort key, written with `#sk`: `#sk BETWEEN :a AND :b`, `begins_with(#sk, :p)`. */
  readonly sort?: Condition | undefined;
  readonly filter?: Condition | undefined;
  readonly newestFirst?: boolean;
  readonly limit?: number;
  readonly startKey?: Record<string, NativeAttributeValue> | undefined;
  readonly consistent?: boolean;
  /** Projection: only these attributes. */
  readonly only?: readonly string[] | undefined;
}
export interface QueryPage {
  readonly rows: readonly Row[];
  readonly nextKey?: Record<string, NativeAttributeValue>;
}

export interface CountPage {
  readonly count: number;
  readonly nextKey?: QueryPage['nextKey'];
}

const INDEX_KEYS = {
  base: { pk: 'pk', sk: 'sk' },
  gsi1: { pk: 'gsi1pk', sk: 'gsi1sk' },
  gsi2: { pk: 'gsi2pk', sk: 'gsi2sk' },
  gsi3: { pk: 'gsi3pk', sk: 'gsi3sk' },
  gsi4: { pk: 'gsi4pk', sk: 'gsi4sk' },
  due: { pk: 'duePk', sk: 'dueAt' },
} as const;

/**
 * The maximum rows of a query's page, which ends at 1 MB in any case: no page of rows of 105 bytes and more gets shorter by it, and an engine
 * that reads a page's rows before it cuts them at 1 MB does not read the whole range for each page.
 */
const MAX_PER_PAGE = 10_000;

const queryInput = (tableName: string, range: QueryRange): QueryCommandInput => {
  const keys = INDEX_KEYS[range.index ?? 'base'];
  const parts = {
    text: range.sort
      ? `#${keys.pk} = :partition AND ${range.sort.text.replaceAll('#sk', `#${keys.sk}`)}`
      : `#${keys.pk} = :partition`,
    values: { partition: range.partition, ...range.sort?.values, ...range.filter?.values },
  };
  const projection = range.only?.map((name) => `#${name}`).join(', ');
  const expressed = expressCondition({
    text: [parts.text, range.filter?.text ?? '', projection ?? ''].join(' '),
    values: parts.values,
  });
  return {
    TableName: tableName,
    IndexName: range.index,
    KeyConditionExpression: parts.text,
    FilterExpression: range.filter?.text,
    ProjectionExpression: projection,
    ExpressionAttributeNames: expressed.names,
    ExpressionAttributeValues: expressed.values,
    ScanIndexForward: range.newestFirst ? false : undefined,
    Limit: Math.min(range.limit ?? MAX_PER_PAGE, MAX_PER_PAGE),
    ConsistentRead: range.consistent,
    ExclusiveStartKey: range.startKey ? marshall(range.startKey) : undefined,
  };
};

const asRow = (item: Parameters<typeof unmarshall>[0]): Row => unmarshall(item) as Row;

/**
 * The single table and its calls. Each is retried a bounded number of times on transient faults (5xx, lost connection; more often after a
 * throttle), and writes that conflict with other transactions as long as `patience` allows; then throws `Unavailable`. A failed condition
 * is a result, never an exception. A repeated write whose response was lost fails its own conditions: callers recognize their own row in
 * `CancelReason.row`, so nothing depends on request tokens.
 */
export class Table {
  readonly name: string;
  /** The number of days after which rows move from this table to the archive; undefined: never. */
  readonly archiveAfterDays: number | undefined;
  readonly #client: DynamoDBClient;

  readonly #patience: ConflictPatience | undefined;

  constructor(client: DynamoDBClient, name: string, patience?: ConflictPatience, archiveAfterDays?: number) {
    this.#client = client;
    this.name = name;
    this.#patience = patience;
    this.archiveAfterDays = archiveAfterDays;
  }

  /** Another table of the same engine or account: a restored one, before it replaces this one. */
  named(name: string): Table {
    return new Table(this.#client, name, this.#patience, this.archiveAfterDays);
  }

  /** One row by its key, or undefined. Strongly consistent unless `eventual`. */
  async get(key: Key, options: { eventual?: boolean; only?: readonly string[] } = {}): Promise<Row | undefined> {
    // A codec that reads some attributes still needs the row's shape.
    const projection = options.only && [...options.only, SHAPE].map((name) => `#${name}`).join(', ');
    const input = {
      TableName: this.name,
      Key: marshall({ pk: key.pk, sk: key.sk }),
      ConsistentRead: options.eventual ? undefined : true,
      ProjectionExpression: projection,
      ExpressionAttributeNames: projection ? expressCondition({ text: projection }).names : undefined,
    };
    const answer = await withRetries(() => this.#client.send(new GetItemCommand(input)), this.#patience);
    return answer.Item ? asRow(answer.Item) : undefined;
  }

  /** Rows by their keys, in the keys' order; undefined for a missing row. One round trip per 100 keys. Eventually consistent unless `consistent`; `only` these attributes, the key's among them. */
  async getMany(
    keys: readonly Key[],
    options: { consistent?: boolean; only?: readonly string[] } = {},
  ): Promise<(Row | undefined)[]> {
    return getMany(this.#client, this.name, keys, options, this.#patience);
  }

  /** Puts whole rows without conditions, 25 per round trip: only for rows whose repeated write is harmless. */
  async putMany(rows: readonly Row[]): Promise<void> {
    return putMany(this.#client, this.name, rows, this.#patience);
  }

  /** One page of a partition. */
  async query(range: QueryRange): Promise<QueryPage> {
    const input = queryInput(this.name, range);
    const answer = await withRetries(() => this.#client.send(new QueryCommand(input)), this.#patience);
    const rows = (answer.Items ?? []).map(asRow);
    return answer.LastEvaluatedKey ? { rows, nextKey: unmarshall(answer.LastEvaluatedKey) } : { rows };
  }

  /** All rows of the range. A query's page ends at 1 MB, so this may take several. */
  async queryAll(range: QueryRange): Promise<Row[]> {
    const rows: Row[] = [];
    let startKey = range.startKey;
    do {
      const page = await this.query({ ...range, startKey });
      rows.push(...page.rows);
      startKey = page.nextKey;
    } while (startKey);
    return rows;
  }

  /** How many rows of one page of the range match. */
  async countPage(range: QueryRange): Promise<CountPage> {
    const input = { ...queryInput(this.name, { ...range, only: undefined }), Select: 'COUNT' } as const;
    const { Count = 0, LastEvaluatedKey } = await withRetries(
      () => this.#client.send(new QueryCommand(input)),
      this.#patience,
    );
    return LastEvaluatedKey ? { count: Count, nextKey: unmarshall(LastEvaluatedKey) } : { count: Count };
  }

  /** How many rows of the range match. Reads all of them: only for filtered totals on narrow indexes. */
  async count(range: QueryRange): Promise<number> {
    let total = 0;
    let startKey = range.startKey;
    do {
      const { count, nextKey } = await this.countPage({ ...range, startKey });
      total += count;
      startKey = nextKey;
    } while (startKey);
    return total;
  }

  /**
   * A page of a segment of the whole table: only for the operator's migrations and for enabling the archive, since its cost grows with the
   * table. No function has the permission.
   */
  async scan(segment: Segment) {
    return scanSegment(this.#client, this.name, segment);
  }

  /**
   * All of the writes or none, at most 100. A failed condition is reported with the current row. `reportConflicts`: so are conflicts on an
   * item or on its partition's throughput, unless an earlier attempt of this call may have been committed; otherwise they are retried.
   */
  async transact(operations: readonly WriteOp[], { reportConflicts = false } = {}): Promise<TransactOutcome> {
    const itemsOf = (writes: readonly WriteOp[]): TransactWriteItem[] =>
      writes.map((operation) => toTransactItem(this.name, operation));
    let items = itemsOf(operations);
    let mayBeCommitted = false;
    return withRetries(async (): Promise<TransactOutcome> => {
      try {
        await this.#client.send(new TransactWriteItemsCommand({ TransactItems: items }));
        return { ok: true };
      } catch (error) {
        const reasons = cancelReasons(error);
        if (reasons.some(({ Code }) => Code === 'ConditionalCheckFailed'))
          return { ok: false, reasons: reasons.map(asReason) };
        const met = reasons.flatMap(({ Code = '' }, at) => (BUSY.has(Code) ? [at] : []));
        if (reportConflicts && !mayBeCommitted && met.length > 0)
          return { ok: false, reasons: reasons.map(asReason), met };
        mayBeCommitted ||= reasons.length === 0;
        if (operations.some((operation) => 'elsewhere' in operation)) items = itemsOf(operations.map(atNextAttempt));
        throw error;
      }
    }, this.#patience);
  }

  /** One conditional write. Same result as a transaction of one, at half its cost. */
  async write(
    operation: WriteOp,
  ): Promise<{ readonly ok: true; readonly row?: Row } | { readonly ok: false; readonly row?: Row }> {
    return writeOne(this.#client, this.name, operation, this.#patience);
  }
}

/** Reasons of a transaction that conflicted with others: on an item, or on its partition's throughput. */
const BUSY = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

type SdkReason = { readonly Code?: string; readonly Item?: Parameters<typeof unmarshall>[0] };
/** The reasons of a cancelled transaction, one per operation; none for any other fault. */
const cancelReasons = (error: unknown): readonly SdkReason[] =>
  error instanceof Error && error.name === 'TransactionCanceledException'
    ? ((error as { CancellationReasons?: readonly SdkReason[] }).CancellationReasons ?? [])
    : [];

const asReason = ({ Code, Item }: SdkReason): CancelReason => ({
  conditionFailed: Code === 'ConditionalCheckFailed',
  ...(Item && Object.keys(Item).length > 0 ? { row: asRow(Item) } : {}),
});

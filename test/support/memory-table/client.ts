import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../infra/local/table-laws/model.ts';
import { itemBytes } from '../../../infra/local/table-laws/units.ts';
import { checkSubstitutes, projectedNames, shownOf } from './expressions.ts';
import { type QueryRequest, queryPage } from './queries.ts';
import { FAILED, FINE, REFUSALS } from './refusals.ts';
import { TableRows } from './rows.ts';
import { type ScanRequest, scanPage } from './scans.ts';
import { checkKey, type Write, type WriteKind, type WriteRequest, writeOf } from './writes.ts';

/** Limits of a call: items and bytes. */
const MAX = { gets: 100, puts: 25, transacted: 100, transactedBytes: 4 * 1024 * 1024, gotBytes: 16 * 1024 * 1024 };

/** Calls after which a client waits for the next turn of the event loop. */
const CALLS_A_TURN = 32;

type Named<T> = T & { readonly TableName: string };
type Batch<T> = { readonly RequestItems: Readonly<Record<string, T>> };
interface Reading extends WriteRequest {
  readonly ProjectionExpression?: string;
}

const nameOf = ({ pk, sk }: Item): string => `${pk?.S}\n${sk?.S}`;
const checkCount = (keys: readonly Item[], max: number): void => {
  const isIn = keys.length > 0 && keys.length <= max;
  if (!isIn || new Set(keys.map(nameOf)).size < keys.length)
    throw REFUSALS.invalid(`not 1 to ${max} items, or some of them twice`);
};

/** Tables in memory, which answer the calls of a table's client as the engine does. One call is made at a time, in the order in which they come. */
export class MemoryTables {
  readonly #tables = new Map<string, TableRows>();

  rows(name: string): TableRows {
    const found = this.#tables.get(name) ?? new TableRows();
    this.#tables.set(name, found);
    return found;
  }

  has(name: string): boolean {
    return this.#tables.has(name);
  }

  #one(kind: WriteKind, request: Named<WriteRequest>): Write {
    const table = this.rows(request.TableName);
    const write = writeOf(table, kind, request);
    if (!write.holds) throw REFUSALS.failed(write.shown);
    table.replace(write.before, write.after);
    return write;
  }

  #written(kind: WriteKind, request: Named<WriteRequest>): object {
    this.#one(kind, request);
    return {};
  }

  #read(name: string, key: Item, { ProjectionExpression, ...given }: Reading): Item | undefined {
    checkKey(key);
    checkSubstitutes(given, [ProjectionExpression]);
    const item = this.rows(name).base.get(key);
    return item && shownOf(item, projectedNames(ProjectionExpression, given), undefined);
  }

  readonly calls: Readonly<Record<string, (input: never) => object>> = {
    GetItem: (input: Named<Reading>) => {
      const Item = this.#read(input.TableName, input.Key ?? {}, input);
      return Item ? { Item } : {};
    },
    PutItem: (input: Named<WriteRequest>) => this.#written('Put', input),
    DeleteItem: (input: Named<WriteRequest>) => this.#written('Delete', input),
    UpdateItem: (input: Named<WriteRequest>) => ({ Attributes: this.#one('Update', input).after }),
    Query: (input: Named<QueryRequest>) => queryPage(this.rows(input.TableName), input),
    Scan: (input: Named<ScanRequest>) => scanPage(this.rows(input.TableName), input),
    BatchGetItem: (input: Batch<Reading & { readonly Keys: readonly Item[] }>) => this.#batchGet(input),
    BatchWriteItem: (input: Batch<readonly { readonly PutRequest: WriteRequest }[]>) => this.#batchPut(input),
    TransactWriteItems: (input: { readonly TransactItems: readonly Readonly<Record<string, Named<WriteRequest>>>[] }) =>
      this.#transact(input.TransactItems.flatMap((item) => Object.entries(item) as [WriteKind, Named<WriteRequest>][])),
  };

  #batchGet({ RequestItems }: Batch<Reading & { readonly Keys: readonly Item[] }>): object {
    const Responses: Record<string, Item[]> = {};
    const UnprocessedKeys: Record<string, object> = {};
    let bytes = 0;
    for (const [name, { Keys, ...reading }] of Object.entries(RequestItems)) {
      checkCount(Keys, MAX.gets);
      const left: Item[] = [];
      const found: Item[] = [];
      for (const key of Keys) {
        bytes += itemBytes(this.rows(name).base.get(key));
        const item = bytes > MAX.gotBytes ? undefined : this.#read(name, key, reading);
        if (item) found.push(item);
        if (bytes > MAX.gotBytes) left.push(key);
      }
      Responses[name] = found;
      if (left.length > 0) UnprocessedKeys[name] = { ...reading, Keys: left };
    }
    return { Responses, UnprocessedKeys };
  }

  #batchPut({ RequestItems }: Batch<readonly { readonly PutRequest: WriteRequest }[]>): object {
    for (const [name, requests] of Object.entries(RequestItems)) {
      const items = requests.map(({ PutRequest }) => PutRequest.Item ?? {});
      checkCount(items, MAX.puts);
      const writes = requests.map(({ PutRequest }) => writeOf(this.rows(name), 'Put', PutRequest));
      for (const { before, after } of writes) this.rows(name).replace(before, after);
    }
    return { UnprocessedItems: {} };
  }

  #transact(requests: readonly [WriteKind, Named<WriteRequest>][]): object {
    const writes = requests.map(([kind, request]) => writeOf(this.rows(request.TableName), kind, request));
    checkCount(
      writes.map(({ key }) => key),
      MAX.transacted,
    );
    const bytes = writes.reduce((sum, { after }) => sum + itemBytes(after), 0);
    if (bytes > MAX.transactedBytes) throw REFUSALS.invalid('A transaction cannot contain more than 4 MB');
    if (writes.some(({ holds }) => !holds))
      throw REFUSALS.cancelled(
        writes.map(({ holds, shown }) => (holds ? FINE : { ...FAILED, ...(shown ? { Item: shown } : {}) })),
      );
    for (const [at, { before, after }] of writes.entries())
      this.rows(requests[at]?.[1].TableName ?? '').replace(before, after);
    return {};
  }
}

/** A call of a client: what it is, and what carries it out at once. */
export interface MemoryCall {
  readonly action: string;
  readonly input: object;
  readonly make: () => object;
}

/** A client of tables in memory. `around` carries each of its calls out, and may answer, delay or fail it instead. */
export const memoryClient = (
  tables: MemoryTables,
  around: (call: MemoryCall) => Promise<object> = async ({ make }) => make(),
): DynamoDBClient => {
  let calls = 0;
  const send = async (command: { readonly input: object }) => {
    const { input } = command;
    calls += 1;
    // Who calls again and again leaves others their turn.
    if (calls % CALLS_A_TURN === 0) await nextTurn();
    const action = command.constructor.name.replace(/Command$/, '');
    const call = tables.calls[action];
    if (!call) throw new TypeError(`The table in memory does not know ${action}.`);
    return around({ action, input, make: () => call(input as never) });
  };
  return { send, destroy: () => {} } as unknown as DynamoDBClient;
};

import { nameOf } from './batch-calls.ts';
import type { WriteOp } from './expressions.ts';
import type { Key, Row } from './row.ts';
import type { CancelReason, Table, TransactOutcome } from './table.ts';
import { writeName } from './transactions.ts';

/** Maximum items per call (DynamoDB, BatchGetItem and TransactWriteItems). */
const MAX_PER_CALL = 100;
/** Concurrent calls of a kind: two keep the table busy while a response is being parsed. */
const MAX_CALLS = 2;

/** Items to read or write in one call; `names` are their keys. */
interface Request<Item, Answer> {
  readonly items: readonly Item[];
  readonly names: readonly string[];
  readonly answer: (answer: Answer) => void;
  readonly fail: (fault: unknown) => void;
}

/** The requests that wait for a call to a table, and the number of calls in flight. */
interface Queue<Item, Answer> {
  readonly waiting: Request<Item, Answer>[];
  calls: number;
}

const queueOf = <Item, Answer>(queues: WeakMap<Table, Queue<Item, Answer>>, table: Table): Queue<Item, Answer> => {
  const queue = queues.get(table) ?? { waiting: [], calls: 0 };
  queues.set(table, queue);
  return queue;
};

/** The next requests that fit into one call, in order. A request that shares a key with an earlier one waits for the next call. */
const nextOf = <Item, Answer>({ waiting }: Queue<Item, Answer>): Request<Item, Answer>[] => {
  const selected: Request<Item, Answer>[] = [];
  const remaining: Request<Item, Answer>[] = [];
  const named = new Set<string>();
  let size = 0;
  for (const request of waiting.splice(0)) {
    const fits = size + request.items.length <= MAX_PER_CALL || selected.length === 0;
    const isNext = fits && request.names.every((name) => !named.has(name));
    for (const name of request.names) named.add(name);
    (isNext ? selected : remaining).push(request);
    if (isNext) size += request.items.length;
  }
  waiting.push(...remaining);
  return selected;
};

/** Runs a queue's calls. Requests that arrive while the maximum of calls is in flight are collected and sent in one call. */
const drain = async <Item, Answer>(
  queue: Queue<Item, Answer>,
  call: (requests: Request<Item, Answer>[]) => Promise<void>,
): Promise<void> => {
  if (queue.calls >= MAX_CALLS) return;
  queue.calls += 1;
  // Requests of the same tick of the event loop share a call.
  await new Promise((resolve) => setImmediate(resolve));
  try {
    while (queue.waiting.length > 0) await call(nextOf(queue));
  } finally {
    queue.calls -= 1;
  }
};

const enqueue = <Item, Answer>(
  queue: Queue<Item, Answer>,
  items: readonly Item[],
  names: readonly string[],
  call: (requests: Request<Item, Answer>[]) => Promise<void>,
): Promise<Answer> =>
  new Promise((answer, fail) => {
    queue.waiting.push({ items, names, answer, fail });
    void drain(queue, call);
  });

type WriteRequest = Request<WriteOp, TransactOutcome>;

/** Makes the writes in one call. A single one needs no transaction, which would cost twice as much. */
export const writeAll = async (table: Table, operations: readonly WriteOp[]): Promise<TransactOutcome> => {
  const [only] = operations;
  if (!only || operations.length > 1 || 'check' in only) return table.transact(operations);
  const { ok, row } = await table.write(only);
  return ok ? { ok } : { ok, reasons: [{ conditionFailed: true, ...(row ? { row } : {}) }] };
};

const transact = async (table: Table, requests: readonly WriteRequest[]): Promise<void> => {
  let outcome: TransactOutcome;
  try {
    outcome = await writeAll(
      table,
      requests.flatMap(({ items }) => items),
    );
  } catch (fault) {
    // A write that the table rejects, or a row in conflict, must not fail the other requests of the call: each is retried alone.
    const [first, ...others] = requests;
    if (others.length === 0) return first?.fail(fault);
    await Promise.all(requests.map((request) => transact(table, [request])));
    return;
  }
  if (outcome.ok) {
    for (const { answer } of requests) answer(outcome);
    return;
  }
  const { passed, failed } = partition(outcome.reasons, requests);
  for (const { request, reasons } of failed) request.answer({ ok: false, reasons });
  if (passed.length > 0) await transact(table, passed);
};

/** Splits the requests of a cancelled transaction by whether their own conditions held. */
const partition = (reasons: readonly CancelReason[], requests: readonly WriteRequest[]) => {
  const passed: WriteRequest[] = [];
  const failed: { request: WriteRequest; reasons: readonly CancelReason[] }[] = [];
  let at = 0;
  for (const request of requests) {
    const own = reasons.slice(at, at + request.items.length);
    at += request.items.length;
    if (own.some(({ conditionFailed }) => conditionFailed)) failed.push({ request, reasons: own });
    else passed.push(request);
  }
  return { passed, failed };
};

type WriteQueues = WeakMap<Table, Queue<WriteOp, TransactOutcome>>;
const writes = new Map<string, WriteQueues>();

/**
 * All of the writes or none, as `Table.transact`, in one transaction with concurrent requests of this process: a transaction is expensive,
 * one more row in it is cheap. A single write that no other joins is none. Failed conditions, and writes that the table rejects, fail only
 * their own caller. Repeated writes whose response was lost fail their own conditions. Requests share a transaction only within a `queue`:
 * what one caller writes at once, each by itself, goes into several.
 */
export const coalescedTransact = (
  table: Table,
  operations: readonly WriteOp[],
  queue = '',
): Promise<TransactOutcome> => {
  const queues: WriteQueues = writes.get(queue) ?? new WeakMap();
  writes.set(queue, queues);
  return enqueue(queueOf(queues, table), operations, operations.map(writeName), (requests) =>
    transact(table, requests),
  );
};

const puts = new WeakMap<Table, Queue<Row, void>>();

const putAll = async (table: Table, requests: readonly Request<Row, void>[]): Promise<void> => {
  try {
    await table.putMany(requests.flatMap(({ items }) => items));
    for (const { answer } of requests) answer();
  } catch (fault) {
    // A row that the table rejects must not fail the others of the call: each is retried alone.
    const [first, ...others] = requests;
    if (others.length === 0) return first?.fail(fault);
    await Promise.all(requests.map((request) => putAll(table, [request])));
  }
};

/** Puts a row without a condition, as `Table.putMany`, in one call with concurrent requests of this process. */
export const coalescedPut = (table: Table, row: Row): Promise<void> =>
  enqueue(queueOf(puts, table), [row], [nameOf(row)], (requests) => putAll(table, requests));

type Found = readonly (Row | undefined)[];
const reads = new WeakMap<Table, Queue<Key, Found>>();

const read = async (table: Table, requests: readonly Request<Key, Found>[]): Promise<void> => {
  try {
    const rows = await table.getMany(
      requests.flatMap(({ items }) => items),
      { consistent: true },
    );
    let at = 0;
    for (const { items, answer } of requests) {
      answer(rows.slice(at, at + items.length));
      at += items.length;
    }
  } catch (fault) {
    for (const { fail } of requests) fail(fault);
  }
};

/** Rows by their keys, strongly consistent, in the keys' order, in one call with concurrent requests of this process. */
export const coalescedRead = async (table: Table, keys: readonly Key[]): Promise<Found> =>
  keys.length === 0 ? [] : enqueue(queueOf(reads, table), keys, [], (requests) => read(table, requests));

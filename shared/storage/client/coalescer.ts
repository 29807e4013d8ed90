import { nameOf } from './batch-calls.ts';
import type { WriteOp } from './expressions.ts';
import type { Key, Row } from './row.ts';
import type { CancelReason, Table, TransactOutcome } from './table.ts';

/** What one call may carry (DynamoDB, BatchGetItem and TransactWriteItems). */
const MAX_PER_CALL = 100;
/** Calls of a kind under way at once: two keep the table at work while one of their answers is being read. */
const MAX_CALLS = 2;

/** Rows that somebody reads or writes in one call, by `names`, their keys. */
interface Request<Item, Answer> {
  readonly items: readonly Item[];
  readonly names: readonly string[];
  readonly answer: (answer: Answer) => void;
  readonly fail: (fault: unknown) => void;
}

/** The requests that wait for a call to a table, and how many calls are under way. */
interface Queue<Item, Answer> {
  readonly waiting: Request<Item, Answer>[];
  calls: number;
}

const queueOf = <Item, Answer>(queues: WeakMap<Table, Queue<Item, Answer>>, table: Table): Queue<Item, Answer> => {
  const queue = queues.get(table) ?? { waiting: [], calls: 0 };
  queues.set(table, queue);
  return queue;
};

/** The next requests that fit into one call, in their order. One that names a row which an earlier one names waits for its turn. */
const nextOf = <Item, Answer>({ waiting }: Queue<Item, Answer>): Request<Item, Answer>[] => {
  const taken: Request<Item, Answer>[] = [];
  const left: Request<Item, Answer>[] = [];
  const named = new Set<string>();
  let size = 0;
  for (const request of waiting.splice(0)) {
    const fits = size + request.items.length <= MAX_PER_CALL || taken.length === 0;
    const isNext = fits && request.names.every((name) => !named.has(name));
    for (const name of request.names) named.add(name);
    (isNext ? taken : left).push(request);
    if (isNext) size += request.items.length;
  }
  waiting.push(...left);
  return taken;
};

/** Runs a queue's calls: what is asked for while as many are under way as may be gathers, and goes together. */
const drain = async <Item, Answer>(
  queue: Queue<Item, Answer>,
  call: (requests: Request<Item, Answer>[]) => Promise<void>,
): Promise<void> => {
  if (queue.calls >= MAX_CALLS) return;
  queue.calls += 1;
  // What is asked for in the same turn of the event loop is not parted.
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

const transact = async (table: Table, requests: readonly WriteRequest[]): Promise<void> => {
  let outcome: TransactOutcome;
  try {
    outcome = await table.transact(requests.flatMap(({ items }) => items));
  } catch (fault) {
    // One write that the table refuses as such, or a row that others hold, fails nobody beside it.
    const [first, ...others] = requests;
    if (others.length === 0) return first?.fail(fault);
    await Promise.all(requests.map((request) => transact(table, [request])));
    return;
  }
  if (outcome.ok) {
    for (const { answer } of requests) answer(outcome);
    return;
  }
  const { met, failed } = partition(outcome.reasons, requests);
  for (const { request, reasons } of failed) request.answer({ ok: false, reasons });
  if (met.length > 0) await transact(table, met);
};

/** The requests of a cancelled transaction by whether their own conditions held. */
const partition = (reasons: readonly CancelReason[], requests: readonly WriteRequest[]) => {
  const met: WriteRequest[] = [];
  const failed: { request: WriteRequest; reasons: readonly CancelReason[] }[] = [];
  let at = 0;
  for (const request of requests) {
    const own = reasons.slice(at, at + request.items.length);
    at += request.items.length;
    if (own.some(({ conditionFailed }) => conditionFailed)) failed.push({ request, reasons: own });
    else met.push(request);
  }
  return { met, failed };
};

const keyOf = (operation: WriteOp): Key => {
  if ('put' in operation) return operation.put;
  if ('update' in operation) return operation.update;
  return 'delete' in operation ? operation.delete : operation.check;
};

const writes = new WeakMap<Table, Queue<WriteOp, TransactOutcome>>();

/**
 * All of the writes or none, as `Table.transact`, in one transaction with those that others of this process ask for meanwhile: a
 * transaction costs the caller and the table much, one row more little. Conditions that fail, and writes that the table refuses, fail
 * their own caller alone. A repeat of writes whose answer was lost meets its own conditions.
 */
export const coalescedTransact = (table: Table, operations: readonly WriteOp[]): Promise<TransactOutcome> =>
  enqueue(
    queueOf(writes, table),
    operations,
    operations.map((operation) => nameOf(keyOf(operation))),
    (requests) => transact(table, requests),
  );

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

/** Rows by their keys, strongly consistent, in the keys' order, in one call with those that others of this process ask for meanwhile. */
export const coalescedRead = async (table: Table, keys: readonly Key[]): Promise<Found> =>
  keys.length === 0 ? [] : enqueue(queueOf(reads, table), keys, [], (requests) => read(table, requests));

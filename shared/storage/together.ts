import type { WriteOp } from './expressions.ts';
import type { CancelReason, Key, Row, Table, TransactOutcome } from './table.ts';

/** What one call may carry (DynamoDB, BatchGetItem and TransactWriteItems). */
const MOST = 100;
/** Calls of a kind under way at once: two keep the table at work while one of their answers is being read. */
const CALLS_AT_ONCE = 2;

/** Work that waits for a call. `names` are the rows' keys. */
interface Piece<W, A> {
  readonly work: readonly W[];
  readonly names: readonly string[];
  readonly answer: (answer: A) => void;
  readonly fail: (fault: unknown) => void;
}

interface Lane<W, A> {
  readonly waiting: Piece<W, A>[];
  calls: number;
}

const laneOf = <W, A>(lanes: WeakMap<Table, Lane<W, A>>, table: Table): Lane<W, A> => {
  const lane = lanes.get(table) ?? { waiting: [], calls: 0 };
  lanes.set(table, lane);
  return lane;
};

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** The next pieces that fit into one call, in their order. One that names a row which an earlier one names waits for its turn. */
const nextOf = <W, A>({ waiting }: Lane<W, A>): Piece<W, A>[] => {
  const taken: Piece<W, A>[] = [];
  const left: Piece<W, A>[] = [];
  const named = new Set<string>();
  let size = 0;
  for (const piece of waiting.splice(0)) {
    const fits = size + piece.work.length <= MOST || taken.length === 0;
    const mine = fits && piece.names.every((name) => !named.has(name));
    for (const name of piece.names) named.add(name);
    (mine ? taken : left).push(piece);
    if (mine) size += piece.work.length;
  }
  waiting.push(...left);
  return taken;
};

/** Runs a lane's calls: what is asked for while as many are under way as may be gathers, and goes together. */
const drain = async <W, A>(lane: Lane<W, A>, run: (pieces: Piece<W, A>[]) => Promise<void>): Promise<void> => {
  if (lane.calls >= CALLS_AT_ONCE) return;
  lane.calls += 1;
  // What is asked for in the same turn of the event loop is not parted.
  await new Promise((resolve) => setImmediate(resolve));
  try {
    while (lane.waiting.length > 0) await run(nextOf(lane));
  } finally {
    lane.calls -= 1;
  }
};

const ask = <W, A>(
  lane: Lane<W, A>,
  work: readonly W[],
  names: readonly string[],
  run: (pieces: Piece<W, A>[]) => Promise<void>,
): Promise<A> =>
  new Promise((answer, fail) => {
    lane.waiting.push({ work, names, answer, fail });
    void drain(lane, run);
  });

type Write = Piece<WriteOp, TransactOutcome>;

const commit = async (table: Table, pieces: readonly Write[]): Promise<void> => {
  let outcome: TransactOutcome;
  try {
    outcome = await table.transact(pieces.flatMap(({ work }) => work));
  } catch (fault) {
    // One write that the table refuses as such, or a row that others hold, fails nobody beside it.
    const [first, ...others] = pieces;
    if (others.length === 0) return first?.fail(fault);
    await Promise.all(pieces.map((piece) => commit(table, [piece])));
    return;
  }
  if (outcome.ok) {
    for (const { answer } of pieces) answer(outcome);
    return;
  }
  const { met, failed } = partedBy(outcome.reasons, pieces);
  for (const { piece, reasons } of failed) piece.answer({ ok: false, reasons });
  if (met.length > 0) await commit(table, met);
};

/** The pieces of a cancelled transaction by whether their own conditions held. */
const partedBy = (reasons: readonly CancelReason[], pieces: readonly Write[]) => {
  const met: Write[] = [];
  const failed: { piece: Write; reasons: readonly CancelReason[] }[] = [];
  let at = 0;
  for (const piece of pieces) {
    const own = reasons.slice(at, at + piece.work.length);
    at += piece.work.length;
    if (own.some(({ conditionFailed }) => conditionFailed)) failed.push({ piece, reasons: own });
    else met.push(piece);
  }
  return { met, failed };
};

const keyOf = (operation: WriteOp): Key => {
  if ('put' in operation) return operation.put;
  if ('update' in operation) return operation.update;
  return 'delete' in operation ? operation.delete : operation.check;
};

const writes = new WeakMap<Table, Lane<WriteOp, TransactOutcome>>();

/**
 * All of the writes or none, as `Table.transact`, in one transaction with those that others of this process ask for meanwhile: a
 * transaction costs the caller and the table much, one row more little. Conditions that fail, and writes that the table refuses, fail
 * their own caller alone. A repeat of writes whose answer was lost meets its own conditions.
 */
export const transactTogether = (table: Table, operations: readonly WriteOp[]): Promise<TransactOutcome> =>
  ask(
    laneOf(writes, table),
    operations,
    operations.map((operation) => nameOf(keyOf(operation))),
    (pieces) => commit(table, pieces),
  );

type Found = readonly (Row | undefined)[];
const reads = new WeakMap<Table, Lane<Key, Found>>();

const read = async (table: Table, pieces: readonly Piece<Key, Found>[]): Promise<void> => {
  try {
    const rows = await table.getMany(
      pieces.flatMap(({ work }) => work),
      { consistent: true },
    );
    let at = 0;
    for (const { work, answer } of pieces) {
      answer(rows.slice(at, at + work.length));
      at += work.length;
    }
  } catch (fault) {
    for (const { fail } of pieces) fail(fault);
  }
};

/** Rows by their keys, strongly consistent, in the keys' order, in one call with those that others of this process ask for meanwhile. */
export const readTogether = async (table: Table, keys: readonly Key[]): Promise<Found> =>
  keys.length === 0 ? [] : ask(laneOf(reads, table), keys, [], (pieces) => read(table, pieces));

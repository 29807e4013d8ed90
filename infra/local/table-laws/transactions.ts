import { Change, carryOut, type WriteAction, writeAction } from './change.ts';
import type { Answer, Call, Json } from './engine.ts';
import type { Laws } from './laws.ts';
import { canonical, type Item, itemId, partitionOf, type TableShape } from './model.ts';
import {
  type CancellationReason,
  CONFLICT_PLACE,
  cancelled,
  IN_PROGRESS,
  MISMATCH,
  type Refusal,
  throttledPlace,
} from './refusals.ts';
import { type Demand, itemBytes, readUnits } from './units.ts';

const WRITE_KINDS = ['Put', 'Update', 'Delete', 'ConditionCheck'] as const;

/** The transaction's writes; undefined if the engine must report their error. */
const actionsOf = async (laws: Laws, call: Call): Promise<WriteAction[] | undefined> => {
  const actions: WriteAction[] = [];
  for (const item of (call.body.TransactItems ?? []) as Json[]) {
    const kind = WRITE_KINDS.find((name) => item[name]);
    const shape = kind && (await laws.engine.shape(call, item[kind].TableName));
    if (!kind || !shape) return undefined;
    actions.push(writeAction(kind, item[kind], shape));
  }
  return actions;
};

/** The items as they are, in the actions' order: one read for each table. */
const itemsBefore = async (laws: Laws, call: Call, actions: readonly WriteAction[]): Promise<(Item | undefined)[]> => {
  const tables = new Map<TableShape, WriteAction[]>();
  for (const action of actions) tables.set(action.shape, [...(tables.get(action.shape) ?? []), action]);
  const found = new Map<WriteAction, Item | undefined>();
  for (const [shape, ofTable] of tables) {
    const items = await laws.engine.read(
      call,
      shape,
      ofTable.map(({ key }) => key),
    );
    for (const [at, action] of ofTable.entries()) found.set(action, items[at]);
  }
  return actions.map((action) => found.get(action));
};

const withoutToken = ({ ClientRequestToken: _, ...body }: Json): Json => body;

/** Whether a condition failed, and not the request itself: then the items were read, and their units are spent. */
const wasTried = ({ body }: Answer): boolean =>
  ((body.CancellationReasons ?? []) as CancellationReason[]).some(({ Code }) => Code === 'ConditionalCheckFailed');

/** A transaction that has its items: throttled at the places that are, else carried out once its time in flight is over. */
const fly = async (laws: Laws, call: Call, actions: readonly WriteAction[]): Promise<Answer | Refusal> => {
  const { clock } = laws.settings;
  const startedAt = clock.now();
  const flightMs = laws.flightMs();
  const before = await itemsBefore(laws, call, actions);
  const changes = actions.map((action, at) => new Change(laws, action, before[at], true));
  const throttles = changes.map((change) => change.throttle());
  if (throttles.some(Boolean)) return cancelled(throttles.map((throttle) => throttle && throttledPlace(throttle)));
  for (const change of changes) change.admit();
  // Reading the items and the engine's work are a part of the time in flight, not an addition to it.
  await laws.wait(startedAt, flightMs);
  const send = async (): Promise<Answer> => {
    const sentAt = clock.now();
    const answer = await laws.engine.forward(call, { body: withoutToken(call.body) });
    laws.flown(startedAt, sentAt);
    return answer;
  };
  return carryOut(changes, { call, send, wasTried });
};

const meet = async (laws: Laws, call: Call, actions: readonly WriteAction[]): Promise<Answer | Refusal> => {
  const flight = laws.flights.beginTransaction(actions.map(({ id }) => id));
  if ('conflicts' in flight) {
    laws.refused('transactionConflicts', flight.conflicts.length);
    return cancelled(actions.map((_, place) => (flight.conflicts.includes(place) ? CONFLICT_PLACE : undefined)));
  }
  try {
    await flight.ready;
    return await fly(laws, call, actions);
  } finally {
    flight.end();
  }
};

const readDemands = (
  actions: readonly Pick<WriteAction, 'shape' | 'key'>[],
  items: readonly (Item | undefined)[],
): Demand[] =>
  actions.map(({ shape, key }, at) => ({
    resource: shape.name,
    partition: partitionOf(shape.keys, key),
    kind: 'read',
    units: readUnits(itemBytes(items[at]), 'transaction'),
  }));

/** TransactWriteItems, repeated without effect under its token. */
export const transactWrite = async (laws: Laws, call: Call): Promise<Answer | Refusal> => {
  const actions = await actionsOf(laws, call);
  if (!actions) return laws.engine.forward(call);
  const token = call.body.ClientRequestToken as string | undefined;
  if (!token) return meet(laws, call, actions);
  const begun = laws.tokens.begin(token, canonical(call.body.TransactItems));
  if (begun === 'mismatch') laws.refused('tokenMismatches');
  if (begun === 'mismatch') return MISMATCH;
  if (begun === 'in_progress') laws.refused('tokensInProgress');
  if (begun === 'in_progress') return IN_PROGRESS;
  if (begun === 'done') {
    // A repeat consumes read units, for reading the items (API_TransactWriteItems.html, ClientRequestToken).
    laws.throughput.take(readDemands(actions, []));
    return { status: 200, headers: {}, body: {} };
  }
  let committed = false;
  try {
    const answer = await meet(laws, call, actions);
    committed = 'status' in answer && answer.status === 200;
    return answer;
  } finally {
    laws.tokens.end(token, committed);
  }
};

/** TransactGetItems: cancelled where an item is being written, throttled where its key is. */
export const transactGet = async (laws: Laws, call: Call): Promise<Answer | Refusal> => {
  const reads: { readonly shape: TableShape; readonly key: Item }[] = [];
  for (const { Get } of (call.body.TransactItems ?? []) as Json[]) {
    const shape = Get && (await laws.engine.shape(call, Get.TableName));
    if (!shape) return laws.engine.forward(call);
    reads.push({ shape, key: Get.Key });
  }
  const conflicts = reads.map(({ shape, key }) => laws.flights.isWritten(itemId(shape, key)));
  laws.refused('readConflicts', conflicts.filter(Boolean).length);
  if (conflicts.some(Boolean)) return cancelled(conflicts.map((meets) => (meets ? CONFLICT_PLACE : undefined)));
  const throttles = readDemands(reads, []).map((demand) => laws.throughput.refusal([demand]));
  for (const throttle of throttles) if (throttle) laws.throttled(throttle);
  if (throttles.some(Boolean)) return cancelled(throttles.map((throttle) => throttle && throttledPlace(throttle)));
  const answer = await laws.engine.forward(call);
  const items = ((answer.body.Responses ?? []) as Json[]).map(({ Item: item }) => item as Item | undefined);
  laws.throughput.take(readDemands(reads, items));
  return answer;
};

import type { Answer, Call, Json } from './engine.ts';
import type { Laws } from './laws.ts';
import { canonical, type Item, partitionOf, pick, type TableShape } from './model.ts';
import { type Refusal, type Throttle, throttled } from './refusals.ts';
import { type Demand, itemBytes, readUnits } from './units.ts';

/** A call extended to return its consumed units. */
export const measured = (body: Json): Json => ({
  ...body,
  ReturnConsumedCapacity: body.ReturnConsumedCapacity ?? 'TOTAL',
});

/** The answer without units that the client did not ask for. */
export const unmeasured = (call: Call, answer: Answer): Answer => {
  const { ConsumedCapacity: _, ...body } = answer.body;
  return call.body.ReturnConsumedCapacity ? answer : { ...answer, body };
};

/** One read of one key: refused while the key's bucket is empty; its units, known from the answer, are taken afterwards. */
export const readOf = async (
  laws: Laws,
  call: Call,
  place: Omit<Demand, 'kind' | 'units'>,
  read: () => Promise<Answer>,
): Promise<Answer | Refusal> => {
  const demand = { ...place, kind: 'read' as const, units: 0 };
  const throttle = laws.throughput.refusal([demand]);
  if (throttle) {
    laws.throttled(throttle);
    return throttled(throttle);
  }
  const answer = await read();
  const units = Number(answer.body.ConsumedCapacity?.CapacityUnits ?? 0);
  laws.throughput.take([{ ...demand, units }]);
  return unmeasured(call, answer);
};

/** GetItem, which no transaction delays or refuses (transaction-apis.html: reads the item before or after it). */
export const getItem = async (laws: Laws, call: Call): Promise<Answer | Refusal> => {
  const shape = await laws.engine.shape(call, call.body.TableName);
  if (!shape) return laws.engine.forward(call);
  const place = { resource: shape.name, partition: partitionOf(shape.keys, call.body.Key ?? {}) };
  return readOf(laws, call, place, () => laws.engine.forward(call, { body: measured(call.body) }));
};

interface Wanted {
  readonly keys: readonly Item[];
  readonly left: readonly Item[];
  readonly throttle: Throttle | undefined;
}

const demandOf = (shape: TableShape, key: Item, units: number): Demand => ({
  resource: shape.name,
  partition: partitionOf(shape.keys, key),
  kind: 'read',
  units,
});

const how = (request: Json) => (request.ConsistentRead ? 'consistent' : 'eventual');

/** The requested keys of a table, each at the cost of an empty item, and those whose bucket is empty. */
const wantedOf = (laws: Laws, shape: TableShape, request: Json): Wanted => {
  const [keys, left]: [Item[], Item[]] = [[], []];
  let last: Throttle | undefined;
  for (const key of request.Keys as Item[]) {
    const demand = demandOf(shape, key, readUnits(0, how(request)));
    const throttle = laws.throughput.refusal([demand]);
    if (throttle) laws.throttled(throttle);
    else laws.throughput.take([demand]);
    (throttle ? left : keys).push(key);
    last = throttle ?? last;
  }
  return { keys, left, throttle: last };
};

/** Takes the units by which the items are larger than an empty one. Approximate for projections: the rest of an item is not visible. */
const settle = (laws: Laws, shape: TableShape, request: Json, items: readonly Item[]): void => {
  for (const item of items) {
    const more = readUnits(itemBytes(item), how(request)) - readUnits(0, how(request));
    if (more > 0 && shape.keys.every((name) => item[name])) laws.throughput.take([demandOf(shape, item, more)]);
  }
};

/** The engine's unprocessed keys of a table and the rejected ones, without duplicates. */
const withLeft = (request: Json, engineLeft: Json | undefined, left: readonly Item[]): Json => {
  const keys = [...((engineLeft?.Keys ?? []) as Item[]), ...left];
  return { ...request, Keys: [...new Map(keys.map((key) => [canonical(key), key])).values()] };
};

/** BatchGetItem: throttled keys come back in UnprocessedKeys; ThrottlingException when that is all of them (API_BatchGetItem.html). */
export const batchGet = async (laws: Laws, call: Call): Promise<Answer | Refusal> => {
  const tables = Object.entries(call.body.RequestItems as Record<string, Json>);
  const wanted = new Map<string, Wanted & { readonly shape: TableShape }>();
  for (const [table, request] of tables) {
    const shape = await laws.engine.shape(call, table);
    if (!shape || !Array.isArray(request.Keys)) return laws.engine.forward(call);
    wanted.set(table, { shape, ...wantedOf(laws, shape, request) });
  }
  const going = tables.filter(([table]) => wanted.get(table)?.keys.length);
  const throttle = [...wanted.values()].find((of) => of.throttle)?.throttle;
  if (going.length === 0 && throttle) return throttled(throttle);
  const RequestItems = Object.fromEntries(
    going.map(([table, request]) => [table, { ...request, Keys: wanted.get(table)?.keys }]),
  );
  const answer = await laws.engine.forward(call, { body: { ...call.body, RequestItems } });
  if (answer.status !== 200) return answer;
  const UnprocessedKeys: Json = {};
  for (const [table, request] of tables) {
    const of = wanted.get(table);
    if (of) settle(laws, of.shape, request, answer.body.Responses?.[table] ?? []);
    const left = withLeft(request, answer.body.UnprocessedKeys?.[table], of?.left ?? []);
    if (left.Keys.length > 0) UnprocessedKeys[table] = left;
    laws.refused('unprocessedKeys', of?.left.length ?? 0);
  }
  return { ...answer, body: { ...answer.body, UnprocessedKeys } };
};

/** Scan: its units count for the table alone, since the keys that it meets are many. */
export const scan = async (laws: Laws, call: Call): Promise<Answer | Refusal> => {
  const resource = [call.body.TableName, call.body.IndexName].filter(Boolean).join('/');
  const place = { resource, partition: '(scan)' };
  return readOf(laws, call, place, () => laws.engine.forward(call, { body: measured(call.body) }));
};

/** The names in a list of attributes; undefined if there is none. */
export const projectedNames = (body: Json): string[] | undefined =>
  body.ProjectionExpression?.split(',').map(
    (name: string) => body.ExpressionAttributeNames?.[name.trim()] ?? name.trim(),
  );

export const project = (item: Item, names: readonly string[] | undefined): Item => (names ? pick(item, names) : item);

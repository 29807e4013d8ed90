import { compareValues, parseCondition, UnknownExpression } from './conditions.ts';
import type { Answer, Call, Json } from './engine.ts';
import type { Laws } from './laws.ts';
import { type IndexShape, type Item, itemId, type KeyNames, pick, type TableShape } from './model.ts';
import { measured, project, projectedNames, readOf } from './reads.ts';
import type { Refusal } from './refusals.ts';
import { resourceOf } from './units.ts';

/** The queried partition: the value that its key is said to equal. */
const partitionIn = (body: Json, keys: KeyNames): string => {
  for (const [, name = '', value = ''] of (body.KeyConditionExpression ?? '').matchAll(/([#\w]+)\s*=\s*(:\w+)/g)) {
    if ((body.ExpressionAttributeNames?.[name] ?? name) !== keys[0]) continue;
    const found = body.ExpressionAttributeValues?.[value] ?? {};
    return found.S ?? found.N ?? found.B ?? '';
  }
  return '';
};

/** Query: of the table as the engine answers it, of an index as old as its entries are. */
export const query = async (laws: Laws, call: Call): Promise<Answer | Refusal> => {
  const shape = await laws.engine.shape(call, call.body.TableName);
  const index = shape?.indexes.find(({ name }) => name === call.body.IndexName);
  if (!shape || (call.body.IndexName && !index)) return laws.engine.forward(call);
  const keys = index?.keys ?? shape.keys;
  const place = { resource: resourceOf(shape.name, index?.name), partition: partitionIn(call.body, keys) };
  return readOf(laws, call, place, () =>
    index ? indexQuery(laws, call, shape, index) : laws.engine.forward(call, { body: measured(call.body) }),
  );
};

/** The query with all key attributes in its result, so that items can be identified, even if only a count is requested. */
const withKeys = (body: Json, names: readonly string[]): Json => {
  const { Select, ...request } = measured(body);
  const whole = Select === 'COUNT' ? request : { ...request, ...(Select ? { Select } : {}) };
  const projected = projectedNames(body);
  if (!projected || Select === 'COUNT') return whole;
  const missing = names.filter((name) => !projected.includes(name));
  const added = Object.fromEntries(missing.map((name, at) => [`#laws${at}`, name]));
  return {
    ...whole,
    ProjectionExpression: [body.ProjectionExpression, ...Object.keys(added)].join(', '),
    ExpressionAttributeNames: { ...body.ExpressionAttributeNames, ...added },
  };
};

const indexQuery = async (laws: Laws, call: Call, shape: TableShape, index: IndexShape): Promise<Answer> => {
  const names = [...new Set([...index.keys, ...shape.keys])];
  const answer = await laws.engine.forward(call, { body: withKeys(call.body, names) });
  if (answer.status !== 200) return answer;
  const older = laws.lag.older(shape.name, index.name);
  const page = older.size > 0 ? patchedWhereKnown({ laws, call, shape, names, answer, older }) : answer.body;
  const { Items = [], ...rest } = page;
  if (call.body.Select === 'COUNT') return { ...answer, body: { ...rest, Count: Items.length } };
  const wanted = projectedNames(call.body);
  const items = (Items as Item[]).map((item) => project(item, wanted));
  return { ...answer, body: { ...rest, Items: items, Count: items.length } };
};

interface Page {
  readonly laws: Laws;
  readonly call: Call;
  readonly shape: TableShape;
  /** The index's keys, then the table's: entries are in their order. */
  readonly names: readonly string[];
  readonly answer: Answer;
  readonly older: ReadonlyMap<string, Item | undefined>;
}

/** Guessed: entries with the same key are in the order of the table's keys; the documentation leaves this open. */
const orderBy =
  (names: readonly string[]) =>
  (one: Item, other: Item): number => {
    for (const name of names) {
      const [a, b] = [one[name], other[name]];
      const order = (a && b && compareValues(a, b)) ?? 0;
      if (order !== 0) return order;
    }
    return 0;
  };

/** The page with each changed item's earlier entry: omitted if there was none, at its position if there was one. */
const patched = ({ call, shape, names, answer, older }: Page): Json => {
  const { body } = call;
  const order = orderBy(names);
  const way = body.ScanIndexForward === false ? -1 : 1;
  const { ExclusiveStartKey: after } = body;
  const { Items = [], LastEvaluatedKey: last } = answer.body as { Items?: Item[]; LastEvaluatedKey?: Item };
  const isInPage = (entry: Item) =>
    (!after || order(entry, after) * way > 0) && (!last || order(entry, last) * way <= 0);
  const isKey = parseCondition(body.KeyConditionExpression, body);
  const passes = parseCondition(body.FilterExpression, body);
  const entries = [...older.values()].filter((entry) => entry !== undefined);
  const found = entries.filter((entry) => isKey(entry) && passes(entry) && isInPage(entry));
  const kept = Items.filter((item) => !older.has(itemId(shape, item)));
  const items = [...kept, ...found].sort((one, other) => order(one, other) * way);
  const limit = Number(body.Limit ?? Infinity);
  if (items.length <= limit) return { ...answer.body, Items: items };
  const cut = items.slice(0, limit);
  return { ...answer.body, Items: cut, LastEvaluatedKey: pick(cut.at(-1) ?? {}, names) };
};

/** The same; the page with the present entries if the query contains unsupported expressions. */
const patchedWhereKnown = (page: Page): Json => {
  try {
    return patched(page);
  } catch (error) {
    if (!(error instanceof UnknownExpression)) throw error;
    page.laws.unpatched();
    return page.answer.body;
  }
};

import { cachedByText, parseCondition, type Substitutes } from '../../../infra/local/table-laws/conditions.ts';
import type { AttributeValue, Item } from '../../../infra/local/table-laws/model.ts';
import { itemBytes } from '../../../infra/local/table-laws/units.ts';
import { updated } from '../../../infra/local/table-laws/update-result.ts';
import { INDEXES, TABLE } from '../../../shared/storage/table-indexes.ts';
import { checkSubstitutes } from './expressions.ts';
import { REFUSALS } from './refusals.ts';
import type { TableRows } from './rows.ts';

const MAX_ITEM_BYTES = 400 * 1024;
const KEYS = [TABLE.partitionKey, TABLE.sortKey];
const KEY_TYPES = Object.values(INDEXES).flatMap(({ partitionKey, sortKey, sortType }) => [
  [partitionKey, 'S'] as const,
  [sortKey, sortType] as const,
]);

export type WriteKind = 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
export interface WriteRequest extends Substitutes {
  readonly Item?: Item;
  readonly Key?: Item;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
}

/** A write, as it would change its table. */
export interface Write {
  readonly key: Item;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly holds: boolean;
  /** The existing row in a refusal. */
  readonly shown: Item | undefined;
}

/** Checks that an item has the keys of its table. */
export const checkKey = (key: Item, isItem = false): void => {
  if (!KEYS.every((name) => key[name]?.S) || (!isItem && Object.keys(key).length > KEYS.length))
    throw REFUSALS.invalid('The provided key element does not match the schema');
};

/** Whole numbers and short decimals, among them parts of a millisecond: any other has to be written as the engine does. */
const PLAIN_NUMBER = /^(?!-0$)-?(0|[1-9]\d{0,14}|[1-9]?\d{1,9}\.\d{0,5}[1-9]|[1-9]\d{10,12}\.\d{0,2}[1-9])$/;

const checkItem = (item: Item): void => {
  for (const [name, type] of KEY_TYPES)
    if (item[name] !== undefined && !item[name]?.[type])
      throw REFUSALS.invalid(`The index key ${name} is not a ${type}`);
  for (const { N, SS, NS, BS } of Object.values(item)) {
    if (N !== undefined && !PLAIN_NUMBER.test(N)) throw new TypeError(`The table in memory does not store ${N}`);
    if (SS ?? NS ?? BS) throw new TypeError('The table in memory stores no sets');
  }
  if (itemBytes(item) > MAX_ITEM_BYTES) throw REFUSALS.invalid('Item size has exceeded the maximum allowed size');
};

/** Whether an update changes an attribute twice. */
const overlaps = cachedByText((text) => {
  const changed = [...text.matchAll(/(?:\b(?:SET|REMOVE|ADD)|,)\s+(#\w+)/g)].map(([, name]) => name);
  return new Set(changed).size < changed.length;
});

const afterOf = (kind: WriteKind, request: WriteRequest, key: Item, before: Item | undefined): Item | undefined => {
  if (kind === 'ConditionCheck') return before;
  if (kind === 'Delete') return undefined;
  if (kind === 'Put') return request.Item;
  const { UpdateExpression: text } = request;
  if (!text) throw REFUSALS.invalid('Invalid UpdateExpression: The expression can not be empty;');
  if (overlaps(text)) throw REFUSALS.invalid('Invalid UpdateExpression: Two document paths overlap with each other');
  const after = updated(before, key, text, request);
  if (KEYS.some((name) => after[name]?.S !== key[name]?.S)) throw REFUSALS.invalid('Cannot update a part of the key');
  return after;
};

/** An item with bytes of its own, as an answer of the engine has them: its caller may change what it gave. */
const withOwnBytes = (item: Item): Item => {
  const bytes = Object.entries(item).filter(([, { B }]) => B !== undefined);
  if (bytes.length === 0) return item;
  return {
    ...item,
    ...Object.fromEntries(bytes.map(([name, { B }]) => [name, { B: Uint8Array.from(B as never) as never }])),
  };
};

/** The result of a write. Throws a ValidationException as the engine does, and other errors for unsupported calls. */
export const writeOf = (table: TableRows, kind: WriteKind, request: WriteRequest): Write => {
  const item = kind === 'Put' ? request.Item : request.Key;
  if (!item) throw REFUSALS.invalid('a write of nothing');
  checkKey(item, kind === 'Put');
  if (kind === 'Put') checkItem(item);
  checkSubstitutes(request, [request.UpdateExpression, request.ConditionExpression]);
  const key = { pk: item.pk as AttributeValue, sk: item.sk as AttributeValue };
  const before = table.base.get(key);
  const holds = parseCondition(request.ConditionExpression, request)(before ?? {});
  const made = holds ? afterOf(kind, request, key, before) : before;
  const after = made && made !== before ? withOwnBytes(made) : made;
  if (kind === 'Update' && after && after !== before) checkItem(after);
  const shown = request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? before : undefined;
  return { key, before, after, holds, shown };
};

import { BatchGetItemCommand, BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { ConflictPatience } from '../../domain/core/retry-on-conflict.ts';
import { expressCondition, expressWrite } from './expressions.ts';
import { withRetries } from './retries.ts';
import type { Key, Row } from './row.ts';

/** Maximum items per call (DynamoDB, BatchGetItem and BatchWriteItem). */
const MAX_GETS = 100;
const MAX_PUTS = 25;

/** A key as one text. */
export const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** Unprocessed items, for lack of throughput or of room in the response: requested again after a wait, as after a throttle. */
const unprocessed = (count: number): Error =>
  Object.assign(new Error(`${count} items of a batch were left unprocessed`), {
    name: 'ProvisionedThroughputExceededException',
  });

/** The items without repeated keys: DynamoDB refuses a call that names a key twice. */
const distinct = <T extends Key>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [nameOf(item), item])).values(),
];

/** Rows by their keys, in the keys' order; undefined for a missing row. `Unavailable` when some stay unprocessed. */
export const getMany = async (
  client: DynamoDBClient,
  name: string,
  keys: readonly Key[],
  { consistent, only }: { consistent?: boolean; only?: readonly string[] },
  patience?: ConflictPatience,
): Promise<(Row | undefined)[]> => {
  const wanted = distinct(keys);
  const found = new Map<string, Row>();
  const text = only?.map((attribute) => `#${attribute}`).join(', ');
  const projection = text
    ? { ProjectionExpression: text, ExpressionAttributeNames: expressCondition({ text }).names }
    : {};
  for (let start = 0; start < wanted.length; start += MAX_GETS) {
    let pending = wanted.slice(start, start + MAX_GETS).map(({ pk, sk }) => marshall({ pk, sk }));
    await withRetries(async () => {
      const RequestItems = { [name]: { Keys: pending, ConsistentRead: consistent || undefined, ...projection } };
      const answer = await client.send(new BatchGetItemCommand({ RequestItems }));
      for (const item of answer.Responses?.[name] ?? []) {
        const row = unmarshall(item) as Row;
        found.set(nameOf(row), row);
      }
      pending = answer.UnprocessedKeys?.[name]?.Keys ?? [];
      if (pending.length > 0) throw unprocessed(pending.length);
    }, patience);
  }
  return keys.map((key) => found.get(nameOf(key)));
};

/** Puts rows without conditions: only for rows whose repeated write is harmless. Not a transaction: after `Unavailable` some may be written. */
export const putMany = async (
  client: DynamoDBClient,
  name: string,
  rows: readonly Row[],
  patience?: ConflictPatience,
): Promise<void> => {
  const wanted = distinct(rows);
  for (let start = 0; start < wanted.length; start += MAX_PUTS) {
    let pending = wanted.slice(start, start + MAX_PUTS).map((put) => ({ PutRequest: { Item: itemOf(put) } }));
    await withRetries(async () => {
      const answer = await client.send(new BatchWriteItemCommand({ RequestItems: { [name]: pending } }));
      pending = (answer.UnprocessedItems?.[name] ?? []) as typeof pending;
      if (pending.length > 0) throw unprocessed(pending.length);
    }, patience);
  }
};

const itemOf = (put: Row) => {
  const expressed = expressWrite({ put });
  if (expressed.kind !== 'put') throw new TypeError('expected a put');
  return expressed.Item;
};

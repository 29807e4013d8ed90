import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CountedCall } from './counting-proxy.ts';

/** A call of the table as it was recorded. */
export type TableCall = Pick<CountedCall, 'action' | 'body'>;

/** Calls in the order in which they began; those that began before the former ended stand together. */
export const batchesOf = (calls: readonly CountedCall[]): readonly (readonly TableCall[])[] => {
  const batches: CountedCall[][] = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const call of [...calls].sort((a, b) => a.from - b.from)) {
    if (call.from < until) batches.at(-1)?.push(call);
    else batches.push([call]);
    until = Math.max(until, call.to);
  }
  return batches.map((batch) =>
    batch.map(({ action, body }) => {
      const { ReturnConsumedCapacity: _, ...input } = JSON.parse(body) as Readonly<Record<string, unknown>>;
      return { action, body: JSON.stringify(input) };
    }),
  );
};

/** Makes a recorded call again. */
export const callAgain = (client: DynamoDBClient, { action, body }: TableCall): Promise<unknown> => {
  const input = JSON.parse(body) as never;
  switch (action) {
    case 'GetItem':
      return client.send(new GetItemCommand(input));
    case 'BatchGetItem':
      return client.send(new BatchGetItemCommand(input));
    case 'Query':
      return client.send(new QueryCommand(input));
    case 'PutItem':
      return client.send(new PutItemCommand(input));
    case 'UpdateItem':
      return client.send(new UpdateItemCommand(input));
    case 'BatchWriteItem':
      return client.send(new BatchWriteItemCommand(input));
    case 'TransactWriteItems':
      return client.send(new TransactWriteItemsCommand(input));
    default:
      throw new Error(`no operation calls ${action}`);
  }
};

type Part = Record<string, unknown> & { Key?: Item; Item?: Item };
type Item = Record<string, { readonly S?: string }>;
const NAMES = ['ConditionExpression', 'ReturnValuesOnConditionCheckFailure'];
const isNamedIn =
  (part: Part) =>
  ([name]: [string, unknown]) =>
    new RegExp(`${name}(?![A-Za-z0-9_])`).test(String(part.UpdateExpression ?? ''));
/** A write of a transaction in another partition, without its condition, which held once. */
const unconditional = (item: Record<string, Part>, partitionOf: (pk: string) => string): TransactWriteItem => {
  const [[action, part] = ['', {} as Part]] = Object.entries(item);
  const kept = Object.fromEntries(Object.entries(part).filter(([name]) => !NAMES.includes(name)));
  for (const name of ['ExpressionAttributeNames', 'ExpressionAttributeValues']) {
    const used = Object.entries((part[name] ?? {}) as object).filter(isNamedIn(part));
    if (used.length > 0) kept[name] = Object.fromEntries(used);
    else delete kept[name];
  }
  const moved = (row: Item) => ({ ...row, pk: { S: partitionOf(row.pk?.S ?? '') } });
  const { Key, Item } = part;
  return { [action]: { ...kept, ...(Key ? { Key: moved(Key) } : {}), ...(Item ? { Item: moved(Item) } : {}) } };
};

/** Makes the writes of a recorded transaction again, on rows of other partitions and without its conditions. */
export const transactAgain = (
  client: DynamoDBClient,
  { body }: TableCall,
  partitionOf: (pk: string) => string,
): Promise<unknown> => {
  const { TransactItems } = JSON.parse(body) as { TransactItems: Record<string, Part>[] };
  const items = TransactItems.filter((item) => !('ConditionCheck' in item));
  return client.send(
    new TransactWriteItemsCommand({ TransactItems: items.map((item) => unconditional(item, partitionOf)) }),
  );
};

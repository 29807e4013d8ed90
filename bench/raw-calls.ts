import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
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

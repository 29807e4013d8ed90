import { DeleteItemCommand, type DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { ConflictPatience } from '../../domain/core/retry-on-conflict.ts';
import { expressWrite, type WriteOp } from './expressions.ts';
import { withRetries } from './retries.ts';
import type { Row } from './row.ts';

type Answer = { readonly ok: true; readonly row?: Row } | { readonly ok: false; readonly row?: Row };
type Attributes = Parameters<typeof unmarshall>[0] | undefined;

const found = (item: Attributes) => (item && Object.keys(item).length > 0 ? { row: unmarshall(item) as Row } : {});

/** One put, update or delete. An update returns the row after it. */
export const writeOne = async (
  client: DynamoDBClient,
  TableName: string,
  operation: WriteOp,
  patience?: ConflictPatience,
): Promise<Answer> => {
  const { kind, ...rest } = expressWrite(operation);
  if (kind === 'check') throw new TypeError('a check is possible in a transaction only');
  const input = { TableName, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const, ...rest };
  return withRetries(async () => {
    try {
      if (kind === 'put')
        await client.send(new PutItemCommand(input as ConstructorParameters<typeof PutItemCommand>[0]));
      else if (kind === 'delete')
        await client.send(new DeleteItemCommand(input as ConstructorParameters<typeof DeleteItemCommand>[0]));
      else {
        const update = { ...input, ReturnValues: 'ALL_NEW' } as ConstructorParameters<typeof UpdateItemCommand>[0];
        return { ok: true, ...found((await client.send(new UpdateItemCommand(update))).Attributes) };
      }
      return { ok: true };
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error;
      return { ok: false, ...found((error as { Item?: Attributes }).Item) };
    }
  }, patience);
};

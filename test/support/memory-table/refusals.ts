import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../infra/local/table-laws/model.ts';

interface Reason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Item;
}

/** An error as the SDK makes one of an answer. */
export const refusal = (name: string, message: string, more: object = {}, httpStatusCode = 400): Error =>
  Object.assign(new DynamoDBServiceException({ name, message, $fault: 'client', $metadata: { httpStatusCode } }), more);

/** Errors as the SDK throws them for the engine's answers. */
export const REFUSALS = {
  invalid: (message: string) => refusal('ValidationException', message),
  failed: (Item: Item | undefined) =>
    refusal('ConditionalCheckFailedException', 'The conditional request failed', Item ? { Item } : {}),
  cancelled: (CancellationReasons: readonly Reason[]) =>
    refusal(
      'TransactionCanceledException',
      `Transaction cancelled: [${CancellationReasons.map(({ Code }) => Code).join(', ')}]`,
      { CancellationReasons },
    ),
  throttled: () => refusal('ProvisionedThroughputExceededException', 'The level of throughput was exceeded.'),
  unanswered: () => Object.assign(new Error('The connection ended.'), { code: 'ECONNRESET' }),
  met: () => refusal('TransactionConflictException', 'Transaction is ongoing for the item'),
};
export const FAILED = { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' } as const;
export const MET = { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' } as const;
export const FINE = { Code: 'None' } as const;

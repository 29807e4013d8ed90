import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../infra/local/table-laws/model.ts';

interface Reason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Item;
}

const refusal = (name: string, message: string, more: object = {}): Error =>
  Object.assign(
    new DynamoDBServiceException({ name, message, $fault: 'client', $metadata: { httpStatusCode: 400 } }),
    more,
  );

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
  met: () => refusal('TransactionConflictException', 'Transaction is ongoing for the item'),
};
export const FAILED = { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' } as const;
export const MET = { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' } as const;
export const FINE = { Code: 'None' } as const;

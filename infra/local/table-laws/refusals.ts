import type { Demand } from './units.ts';

/** An error as DynamoDB answers it: HTTP 400 with its type and message (Programming.Errors.html). */
export interface Refusal {
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Whether a partition key or a whole table or index was at its limit. */
export interface Throttle {
  readonly demand: Demand;
  readonly limit: 'partition' | 'table';
}

/** One place of a cancelled transaction. */
export interface CancellationReason {
  readonly Code: string;
  readonly Message?: string;
}

// Messages of ThrottlingError in API_TransactWriteItems.html, for on-demand tables and for their indexes.
const TABLE_BUSY =
  'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html.';
const INDEX_BUSY =
  'Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically scaling your index so please try again shortly.';

const isIndex = ({ resource }: Demand): boolean => resource.includes('/');
const messageOf = ({ demand }: Throttle): string => (isIndex(demand) ? INDEX_BUSY : TABLE_BUSY);

/**
 * Type and operation, then the limit (API_ThrottlingReason.html). Guessed: a table above twice its peak is reported with the same reason as
 * a key range, since the documentation has none for a table that is still growing.
 */
const reasonOf = ({ demand }: Throttle): string =>
  `${isIndex(demand) ? 'Index' : 'Table'}${demand.kind === 'read' ? 'Read' : 'Write'}KeyRangeThroughputExceeded`;

const arnOf = ({ demand }: Throttle): string =>
  `arn:aws:dynamodb:us-east-1:000000000000:table/${demand.resource.replace('/', '/index/')}`;

/**
 * A throttled single call. On-demand tables return ThrottlingException; ProvisionedThroughputExceededException is documented only for
 * provisioned capacity (API_BatchWriteItem.html names both).
 */
export const throttled = (throttle: Throttle): Refusal => ({
  type: 'ThrottlingException',
  body: {
    message: messageOf(throttle),
    throttlingReasons: [{ reason: reasonOf(throttle), resource: arnOf(throttle) }],
  },
});

export const throttledPlace = (throttle: Throttle): CancellationReason => ({
  Code: 'ThrottlingError',
  Message: messageOf(throttle),
});
export const CONFLICT_PLACE: CancellationReason = {
  Code: 'TransactionConflict',
  Message: 'Transaction is ongoing for the item',
};

/** A cancelled transaction: a reason for each item in its place, `None` where nothing is wrong (API_TransactWriteItems.html). */
export const cancelled = (places: readonly (CancellationReason | undefined)[]): Refusal => {
  const reasons = places.map((place) => place ?? { Code: 'None' });
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return { type: 'TransactionCanceledException', body: { message, CancellationReasons: reasons } };
};

export const CONFLICT: Refusal = {
  type: 'TransactionConflictException',
  body: { message: CONFLICT_PLACE.Message },
};
export const IN_PROGRESS: Refusal = {
  type: 'TransactionInProgressException',
  body: { Message: 'The transaction with the given request token is already in progress.' },
};
export const MISMATCH: Refusal = {
  type: 'IdempotentParameterMismatchException',
  body: {
    Message:
      'DynamoDB rejected the request because you retried a request with a different payload but with an idempotent token that was already used.',
  },
};

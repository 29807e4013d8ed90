import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A call that DynamoDB refused, wholly or in part, for lack of throughput. */
export interface Throttle {
  /** The SDK's command: `QueryCommand`. */
  readonly command: string;
  /** Why, as far as DynamoDB says it: `IndexWriteKeyRangeThroughputExceeded messaging-live/index/due`. */
  readonly reasons: readonly string[];
}
export type OnThrottle = (throttle: Throttle) => void;

const THROTTLES = new Set(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded']);
const THROTTLED_PLACES = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);

interface Reason {
  readonly reason?: string;
  readonly resource?: string;
}
interface Refused {
  readonly name: string;
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
  // The SDK's models spell it both ways.
  readonly throttlingReasons?: readonly Reason[];
  readonly ThrottlingReasons?: readonly Reason[];
}

const nameOf = ({ reason = 'unknown', resource = '' }: Reason): string =>
  `${reason} ${resource.slice(resource.indexOf('/') + 1)}`.trim();

/** Why the call that ended with this error was throttled; undefined if it was not. */
const reasonsOfError = (error: unknown): readonly string[] | undefined => {
  if (!(error instanceof Error)) return undefined;
  const { name, CancellationReasons = [], throttlingReasons, ThrottlingReasons }: Refused = error;
  if (THROTTLES.has(name)) return (throttlingReasons ?? ThrottlingReasons ?? []).map(nameOf);
  const places = CancellationReasons.flatMap(({ Code = '' }) => (THROTTLED_PLACES.has(Code) ? [Code] : []));
  return places.length > 0 ? places : undefined;
};

const isLeft = (part: unknown): boolean => typeof part === 'object' && part !== null && Object.keys(part).length > 0;

/** A batch succeeds with what it could not take left over: of writes for lack of throughput, of reads also where the response is full. */
const reasonsOfOutput = (output: unknown): readonly string[] | undefined => {
  const { UnprocessedItems, UnprocessedKeys }: { UnprocessedItems?: unknown; UnprocessedKeys?: unknown } = output ?? {};
  return isLeft(UnprocessedItems) || isLeft(UnprocessedKeys) ? ['Unprocessed'] : undefined;
};

/**
 * Tells each throttled call of a client, at every attempt. All calls to the table pass here, so this notices the table and each of its indexes,
 * which are as many metrics of CloudWatch; it does not see the calls of other clients of the table, such as the console.
 */
export const watchThrottles = (client: DynamoDBClient, onThrottle: OnThrottle): void =>
  client.middlewareStack.add(
    (next, { commandName: command = 'unknown' }) =>
      async (args) => {
        const tell = (reasons: readonly string[] | undefined) => reasons && onThrottle({ command, reasons });
        try {
          const answer = await next(args);
          tell(reasonsOfOutput(answer.output));
          return answer;
        } catch (error) {
          tell(reasonsOfError(error));
          throw error;
        }
      },
    { step: 'initialize', priority: 'high', name: 'watchThrottles' },
  );

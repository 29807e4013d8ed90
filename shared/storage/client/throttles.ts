import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A call that DynamoDB refused, wholly or in part, for lack of throughput. */
export interface Throttle {
  /** The SDK's command: `QueryCommand`. */
  readonly command: string;
  /** The reasons, if DynamoDB reports them: `IndexWriteKeyRangeThroughputExceeded messaging-live/index/due`. */
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

/** Why the call that failed with this error was throttled; undefined if it was not. */
const reasonsOfError = (error: unknown): readonly string[] | undefined => {
  if (!(error instanceof Error)) return undefined;
  const { name, CancellationReasons = [], throttlingReasons, ThrottlingReasons }: Refused = error;
  if (THROTTLES.has(name)) return (throttlingReasons ?? ThrottlingReasons ?? []).map(nameOf);
  const places = CancellationReasons.flatMap(({ Code = '' }) => (THROTTLED_PLACES.has(Code) ? [Code] : []));
  return places.length > 0 ? places : undefined;
};

const isLeft = (part: unknown): boolean => typeof part === 'object' && part !== null && Object.keys(part).length > 0;

/** Whether DynamoDB refused the call for lack of throughput. */
export const isThrottle = (error: unknown): boolean => reasonsOfError(error) !== undefined;

/** A batch succeeds with unprocessed items: writes for lack of throughput, reads also when the response is full. */
const reasonsOfOutput = (output: unknown): readonly string[] | undefined => {
  const { UnprocessedItems, UnprocessedKeys }: { UnprocessedItems?: unknown; UnprocessedKeys?: unknown } = output ?? {};
  return isLeft(UnprocessedItems) || isLeft(UnprocessedKeys) ? ['Unprocessed'] : undefined;
};

/** Awaits a call of a command, and reports it if it was throttled. */
export type WatchCall = <T>(command: string, call: Promise<T>, outputOf?: (answer: T) => unknown) => Promise<T>;

export const throttleWatch =
  (onThrottle: OnThrottle): WatchCall =>
  async (command, call, outputOf = (answer) => answer) => {
    const reportThrottle = (reasons: readonly string[] | undefined) => reasons && onThrottle({ command, reasons });
    try {
      const answer = await call;
      reportThrottle(reasonsOfOutput(outputOf(answer)));
      return answer;
    } catch (error) {
      reportThrottle(reasonsOfError(error));
      throw error;
    }
  };

/**
 * Reports each throttled call that a client makes through the SDK, at every attempt. All calls to the table use this client, so this covers
 * the table and each of its indexes, which are separate metrics in CloudWatch; it doesn't see other clients of the table, such as the console.
 */
export const watchThrottles = (client: DynamoDBClient, watch: WatchCall): void =>
  client.middlewareStack.add(
    (next, { commandName: command = 'unknown' }) =>
      (args) =>
        watch(command, next(args), ({ output }) => output),
    { step: 'initialize', priority: 'high', name: 'watchThrottles' },
  );

import { Unavailable } from '../../domain/core/errors.ts';
import { pause } from '../../domain/core/pause.ts';
import type { ConflictPatience } from '../../domain/core/retry-on-conflict.ts';
import { isThrottle } from './throttles.ts';

/** Waits between attempts, in ms, each with full jitter, so that colliding writers spread out. */
const WAITS_MS = [20, 60, 150, 350] as const;

const TRANSIENT_NAMES = new Set([
  'InternalServerError',
  'ItemCollectionSizeLimitExceededException',
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ServiceUnavailable',
  'ThrottlingException',
  'TimeoutError',
  'TransactionCanceledException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);
const TRANSIENT_REASONS = new Set(['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);
const TRANSIENT_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
]);
const TOO_MANY_REQUESTS = 429;

interface TableFault extends Error {
  readonly code?: string;
  /** Set by Node on errors of the operating system: no port, no file handle, no address for a name. */
  readonly syscall?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  /** Set by the SDK on a response that it could not parse. */
  readonly $response?: unknown;
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

/** Whether the response was not DynamoDB's: truncated, or from a proxy that does not speak JSON. */
const isUnreadable = (fault: TableFault): boolean =>
  (fault instanceof SyntaxError && '$response' in fault) || (fault.code ?? '').startsWith('HPE_');

/** Whether a retry may succeed. Not for a transaction cancelled for a permanent reason (validation, size). */
export const isTransient = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const fault: TableFault = error;
  if (fault.name === 'TransactionCanceledException')
    return (fault.CancellationReasons ?? []).every((reason) => TRANSIENT_REASONS.has(reason.Code ?? 'None'));
  if (TRANSIENT_NAMES.has(fault.name) || TRANSIENT_CODES.has(fault.code ?? '')) return true;
  if (fault.syscall !== undefined || isUnreadable(fault)) return true;
  const status = fault.$metadata?.httpStatusCode ?? 0;
  return status >= 500 || status === TOO_MANY_REQUESTS;
};

/** Whether the call conflicted with a transaction in flight: it succeeds once that ends, which on a busy row takes many attempts. */
const isConflict = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { name, CancellationReasons: reasons = [] }: TableFault = error;
  if (name === 'TransactionConflictException' || name === 'TransactionInProgressException') return true;
  return name === 'TransactionCanceledException' && reasons.some(({ Code }) => Code === 'TransactionConflict');
};

/** Conflicts and throttles are only retried beyond the usual waits for a caller that waits. */
const NO_PATIENCE: ConflictPatience = () => 0;
/** Further waits of a call with conflicts, in ms: repeated conflicts mean more writers. The last one repeats. */
const CONFLICT_WAITS_MS = [...WAITS_MS, 600, 1_000] as const;
/**
 * Further waits of a throttled call, in ms: a partition's units come back each second, so that tries within one second may all meet the
 * same shortage. They end, because a table that is short for longer is not helped by more callers that wait.
 */
const THROTTLE_WAITS_MS = [...WAITS_MS, 600, 1_000, 1_000, 1_000, 1_000] as const;

/** The longest waits before the next attempts of one call; undefined once it has no more. */
const waitsOf = (patience: ConflictPatience) => {
  const startedAt = performance.now();
  let [faults, conflicts] = [0, 0];
  return (error: unknown): number | undefined => {
    const isPatient = patience(startedAt) > 0;
    if (isPatient && isConflict(error)) return CONFLICT_WAITS_MS[conflicts++] ?? CONFLICT_WAITS_MS.at(-1);
    return (isPatient && isThrottle(error) ? THROTTLE_WAITS_MS : WAITS_MS)[faults++];
  };
};

/**
 * Runs a call to the table, retried after a transient fault at most five times within about 0.6 s. While `patience` lasts, a throttled call
 * is tried five times more, over two or three seconds, and conflicts are retried without a limit. Then throws `Unavailable`, which a caller
 * receives as 503. Only for calls whose repeat is harmless: reads, and conditional writes.
 */
export const withRetries = async <T>(call: () => Promise<T>, patience: ConflictPatience = NO_PATIENCE): Promise<T> => {
  const waitAfter = waitsOf(patience);
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isTransient(error)) throw error;
      const wait = waitAfter(error);
      if (wait === undefined) throw new Unavailable('The table did not answer in time.', { cause: error });
      await pause(Math.random() * wait);
    }
  }
};

import { Unavailable } from '../../domain/core/errors.ts';

/** Waits between tries, in ms: full jitter below each, so that colliding writers part. */
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
  /** Set by Node on what the operating system refused: no port, no file handle, no address of a name. */
  readonly syscall?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  /** Set by the SDK on what it could not read. */
  readonly $response?: unknown;
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

/** Whether what came was no answer of DynamoDB's: cut short, or of something on the way that speaks no JSON. */
const isUnreadable = (fault: TableFault): boolean =>
  (fault instanceof SyntaxError && '$response' in fault) || (fault.code ?? '').startsWith('HPE_');

/** Whether a repeat may mend the fault. A transaction cancelled for what no repeat mends (validation, size) is not. */
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

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Runs a call to the table, again after a transient fault, at most five times in about 0.6 s in all; then `Unavailable`,
 * which a caller meets as 503. Only for calls whose repeat is harmless: reads, and writes under conditions.
 */
export const withRetries = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let turn = 0; ; turn++) {
    try {
      return await call();
    } catch (error) {
      if (!isTransient(error)) throw error;
      const wait = WAITS_MS[turn];
      if (wait === undefined) throw new Unavailable('The table did not answer in time.', { cause: error });
      await pause(Math.random() * wait);
    }
  }
};

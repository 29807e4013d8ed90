import { Unavailable } from '../domain/errors.ts';

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
const TRANSIENT_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET']);

/** Whether a repeat may mend the fault. A transaction cancelled for what no repeat mends (validation, size) is not. */
export const isTransient = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const fault = error as Error & {
    code?: string;
    $metadata?: { httpStatusCode?: number };
    CancellationReasons?: { Code?: string }[];
  };
  if (fault.name === 'TransactionCanceledException')
    return (fault.CancellationReasons ?? []).every((reason) => TRANSIENT_REASONS.has(reason.Code ?? 'None'));
  if (TRANSIENT_NAMES.has(fault.name) || TRANSIENT_CODES.has(fault.code ?? '')) return true;
  return (fault.$metadata?.httpStatusCode ?? 0) >= 500;
};

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Runs a call to the table, again after a transient fault, at most five times in about 0.6 s in all; then `Unavailable`,
 * which a caller meets as 503. Only for calls whose repeat is harmless: reads, and writes under conditions.
 */
export const persistently = async <T>(call: () => Promise<T>): Promise<T> => {
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

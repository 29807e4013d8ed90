import type { Method } from './request.ts';

/** Methods whose repetition leaves what one request leaves (RFC 9110, 9.2.2). */
const REPEATABLE: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/** Statuses that say: not now. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const FIRST_WAIT_MS = 500;
const LONGEST_BACKOFF_MS = 8_000;

/** Whether a request may be sent again if its result is unknown. */
export const isRepeatable = (method: Method, idempotencyKey: string | undefined, isStream: boolean): boolean =>
  !isStream && (REPEATABLE.has(method) || idempotencyKey !== undefined);

/** Whether another attempt may succeed: the service says that it is busy, or that the first request with this key still runs. */
export const isTemporary = (status: number, subCode: unknown): boolean =>
  TEMPORARY.has(status) || (status === 409 && subCode === 'EM_ANDAMENTO');

/**
 * Seconds that `Retry-After` asks for: a number of them, or a date, which is compared with the answer's own `Date` where it has one, so that
 * the caller's clock need not be right. Undefined if it is absent or neither.
 */
export const retryAfterSeconds = (headers: Headers): number | undefined => {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const until = Date.parse(value);
  if (Number.isNaN(until)) return undefined;
  const sent = Date.parse(headers.get('date') ?? '');
  return Math.max(0, (until - (Number.isNaN(sent) ? Date.now() : sent)) / 1000);
};

/**
 * Milliseconds before the next attempt: never less than what was asked for, and spread, so that callers that failed together do not return
 * together. Undefined if more is asked for than `maxWaitMs`.
 */
export const waitBefore = (
  repeats: number,
  askedSeconds: number | undefined,
  maxWaitMs: number,
): number | undefined => {
  const requestedMs = (askedSeconds ?? 0) * 1000;
  if (requestedMs > maxWaitMs) return undefined;
  const half = Math.min(FIRST_WAIT_MS * 2 ** repeats, LONGEST_BACKOFF_MS) / 2;
  return Math.min(Math.max(requestedMs, half) + Math.random() * half, maxWaitMs);
};

/** Waits; throws the signal's reason as soon as it is aborted. */
export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });

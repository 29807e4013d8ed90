/** Waits after each failed attempt, in seconds (docs/spec/webhooks.md#retry-schedule); the last one repeats. */
const RETRY_WAITS_SECONDS = [30, 120, 600, 3_600, 21_600] as const;
/** Timeout of one attempt, including the response body, in ms (docs/spec/webhooks.md#success-and-failure). */
export const ATTEMPT_MS = 15_000;
/** Lifetime of a claim, in ms: an attempt, and the time to record it. */
export const CLAIM_MS = ATTEMPT_MS + 5_000;
/** No attempt starts later than this after the first, in ms. */
export const RETRY_FOR_MS = 24 * 3600 * 1000;
/** Each wait is drawn evenly from this share around it, so that failed deliveries are not retried all at once. */
export const JITTER = 0.2;
/** Failed events in a row after which a subscription is `failing`. */
export const FAILING_AFTER = 5;

/** A subscription's own retry settings (docs/spec/webhooks.md#retry-schedule). */
export interface RetrySettings {
  /** Maximum attempts per event, including the first. */
  readonly maxAttempts: number;
  /** The first wait; the later ones scale with it. */
  readonly backoffSeconds: number;
}
/** By the schedule, at most eight attempts fit into 24 hours. */
export const DEFAULT_RETRY: RetrySettings = { maxAttempts: 8, backoffSeconds: RETRY_WAITS_SECONDS[0] };

export interface FailedAttempt {
  /** Attempts so far, including this one. */
  readonly attempts: number;
  /** When the first one began, and when this one ended, in ms. */
  readonly firstAt: number;
  readonly now: number;
  readonly retry: RetrySettings;
  /** The Retry-After of a 429 or 503, in seconds: honoured up to twice the next wait. */
  readonly retryAfterSeconds?: number | undefined;
  /** Evenly distributed in [0, 1). */
  readonly random: number;
}

/** The time of the next attempt, in ms; undefined when the event is abandoned. */
export const nextAttemptAt = ({
  attempts,
  firstAt,
  now,
  retry,
  retryAfterSeconds,
  random,
}: FailedAttempt): number | undefined => {
  if (attempts >= retry.maxAttempts) return undefined;
  const step = RETRY_WAITS_SECONDS[Math.min(attempts, RETRY_WAITS_SECONDS.length) - 1] ?? RETRY_WAITS_SECONDS[0];
  const planned = step * (retry.backoffSeconds / RETRY_WAITS_SECONDS[0]);
  const jittered = planned * (1 - JITTER + 2 * JITTER * random);
  const requested = retryAfterSeconds === undefined ? 0 : Math.min(retryAfterSeconds, 2 * planned);
  const at = now + Math.round(Math.max(jittered, requested) * 1000);
  return at - firstAt > RETRY_FOR_MS ? undefined : at;
};

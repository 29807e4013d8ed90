/** Characters of a text at most, as over HTTP. */
export const MAX_TEXT = 10_000;

/** The options of a message, or of a part of one. Moments are ms. */
export interface SubmitOptions {
  readonly deliverAt?: number | undefined;
  /** The schedule as the account wrote it; repeats are recognized by it. */
  readonly schedule?: string | undefined;
  /** The end of its validity: a message that still waits then fails. */
  readonly validUntil?: number | undefined;
  /** The validity as the account wrote it. */
  readonly validity?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

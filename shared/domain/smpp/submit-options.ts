/** Characters of a text at most, as over HTTP. */
export const MAX_TEXT = 10_000;

/** What is said of a message, or of a part of one, besides its text. Moments are ms. */
export interface SubmitOptions {
  readonly deliverAt?: number | undefined;
  /** The moment as the account wrote it, by which a repeat is recognized. */
  readonly schedule?: string | undefined;
  /** Until when it is of use: one that still waits then fails. */
  readonly validUntil?: number | undefined;
  /** That moment as the account wrote it. */
  readonly validity?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

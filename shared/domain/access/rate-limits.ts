import { type Refusal, refuse } from '../core/errors.ts';

/** A token bucket: `perMinute` on average, bursts up to `burst` (docs/spec/platform.md#rate-limits). */
export interface Bucket {
  readonly name: string;
  readonly perMinute: number;
  readonly burst: number;
  /** The number of rows that share the bucket evenly; one by default. */
  readonly rows?: number;
}

/** Single sends per minute of an organization, unless the operator sets another limit. */
export const DEFAULT_SENDS_PER_MINUTE = 3_000;
/** The operator's maximum: 10,000 per second. */
export const MAX_SENDS_PER_MINUTE = 600_000;
/** Draws per minute that one row sustains comfortably; a larger bucket is spread over several. */
const PER_ROW = 30_000;
/** An organization's burst is this fraction of its sends per minute, as for keys. */
const BURST_SHARE = 6;

/** The limits of a live credential, separate for each kind of send. */
const OF_CREDENTIAL = {
  single_send: { name: 'single_send', perMinute: 600, burst: 100 },
  bulk_send: { name: 'bulk_send', perMinute: 30, burst: 30 },
} as const satisfies Record<string, Bucket>;
export type Rate = keyof typeof OF_CREDENTIAL;

const BULK_OF_ORGANIZATION: Bucket = { name: 'bulk_send', perMinute: 150, burst: 150 };

/** The bucket of each credential. */
export const bucketOfCredential = (rate: Rate): Bucket => OF_CREDENTIAL[rate];

/** The bucket that all credentials of an organization share. */
export const bucketOfOrganization = (rate: Rate, sendsPerMinute: number = DEFAULT_SENDS_PER_MINUTE): Bucket =>
  rate === 'bulk_send'
    ? BULK_OF_ORGANIZATION
    : {
        name: rate,
        perMinute: sendsPerMinute,
        burst: Math.ceil(sendsPerMinute / BURST_SHARE),
        rows: Math.ceil(sendsPerMinute / PER_ROW),
      };

/** A bucket with the detail of its refusal. */
export interface Limit extends Bucket {
  readonly detail: string;
}
/** Per credential without pii:full. */
export const PERSON_LOOKUPS: Limit = {
  name: 'person_lookup',
  perMinute: 60,
  burst: 60,
  detail: 'Without pii:full, the key may look up 60 people in a burst by their addresses, and one more each second.',
};
/** Per person, across sessions. */
export const DOCUMENT_REVEALS: Limit = {
  name: 'document_reveal',
  perMinute: 30,
  burst: 30,
  detail: 'A person may reveal the documents of 30 contacts a minute.',
};
/** Per organization. */
export const WEBHOOK_VALIDATIONS: Limit = {
  name: 'webhook_validation',
  perMinute: 30,
  burst: 30,
  detail: 'The organization may have 30 webhook addresses validated a minute.',
};

/** 429 with the wait for the next token, in whole seconds. */
export const refuseWait = (detail: string, waitMs: number): Refusal<'RATE_LIMITED'> =>
  refuse('RATE_LIMITED', { detail, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });

export const refuseRate = (whose: 'key' | 'organization', { perMinute, burst }: Bucket, waitMs: number) =>
  refuseWait(`The ${whose} may send ${perMinute} a minute, ${burst} at once.`, waitMs);

import type { Actor } from '../../domain/core/actor.ts';
import { type Refusal, refuse } from '../../domain/core/errors.ts';
import { type Bucket, drawToken } from '../../storage/due-work/rates.ts';
import { clock, table } from '../process/aws.ts';

/** Token buckets of a live key (docs/spec/platform.md#rate-limits). */
const BUCKETS = {
  single_send: { name: 'single_send', perMinute: 600, burst: 100 },
  bulk_send: { name: 'bulk_send', perMinute: 30, burst: 30 },
} as const satisfies Record<string, Bucket>;

/** Draws from a credential's bucket; 429 with the exact wait when it is empty. */
export const rateLimiter = async (
  credentialId: Actor['credentialId'],
  bucket: keyof typeof BUCKETS,
): Promise<Refusal<'RATE_LIMITED'> | undefined> => {
  const waitMs = await drawToken(table, credentialId, BUCKETS[bucket], clock());
  if (waitMs === 0) return undefined;
  const { perMinute, burst } = BUCKETS[bucket];
  return refuse('RATE_LIMITED', {
    detail: `The key may send ${perMinute} a minute, ${burst} at once.`,
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
};

import {
  bucketOfCredential,
  bucketOfOrganization,
  type Limit,
  type Rate,
  refuseRate,
  refuseWait,
} from '../../domain/access/rate-limits.ts';
import type { Actor } from '../../domain/core/actor.ts';
import type { Refusal } from '../../domain/core/errors.ts';
import { drawToken, drawTokens, waitForToken } from '../../storage/due-work/rates.ts';
import { clock, table } from '../process/aws.ts';
import { organizationSettings } from './settings.ts';

/** Draws from the buckets of a credential and of its organization; 429 with the exact wait if one is empty. */
export const rateLimiter = async (
  { credentialId, organizationId }: Actor,
  rate: Rate,
): Promise<Refusal<'RATE_LIMITED'> | undefined> => {
  const shared = organizationSettings(organizationId).then(({ sendsPerMinute }) =>
    bucketOfOrganization(rate, sendsPerMinute),
  );
  const draws = [
    { owner: credentialId, bucket: bucketOfCredential(rate) },
    { owner: organizationId, bucket: shared },
  ];
  const empty = await drawTokens(table, draws, clock());
  return empty && refuseRate(empty.at === 0 ? 'key' : 'organization', empty.bucket, empty.waitMs);
};

/**
 * Draws tokens from a separate bucket: of a credential or an organization, or of an address (blind index); 429 with the exact wait if it is
 * empty.
 */
export const drawOf = async (
  owner: string,
  { detail, ...bucket }: Limit,
  tokens = 1,
): Promise<Refusal<'RATE_LIMITED'> | undefined> => {
  const waitMs = await drawToken(table, owner, bucket, clock(), tokens);
  return waitMs === 0 ? undefined : refuseWait(detail, waitMs);
};

/** 429 with the exact wait if such a bucket is empty; draws nothing. */
export const refuseEmpty = async (
  owner: string,
  { detail, ...bucket }: Limit,
): Promise<Refusal<'RATE_LIMITED'> | undefined> => {
  const waitMs = await waitForToken(table, owner, bucket, clock());
  return waitMs === 0 ? undefined : refuseWait(detail, waitMs);
};

import { definedFields } from '../core/patch.ts';
import { intersectRanges } from './ip-ranges.ts';

/** A former secret that still works until `until` (ms). */
export interface OldSecret {
  readonly hash: string;
  readonly until: number;
}

/** The restrictions that a key imposes on the keys below it. Times in ms. */
export interface Ancestor {
  /** The addresses and CIDR blocks of its own list. */
  readonly allowedIps?: readonly string[];
  /** When it was revoked together with every key below it. */
  readonly treeRevokedAt?: number;
  readonly oldSecrets: readonly OldSecret[];
  readonly rotatedAt?: number;
  readonly revokedAt?: number;
}

/** The state of a key that the keys above it affect. Times in ms. */
interface Inheriting {
  readonly allowedIps?: readonly string[];
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  readonly tiedTo?: readonly string[];
}

/**
 * The addresses that a key may be used from: the intersection of its own list and those of its ancestors; undefined
 * means any.
 */
const rangesInForce = (
  own: readonly string[] | undefined,
  ancestors: readonly Ancestor[],
): readonly string[] | undefined => ancestors.reduce((ranges, above) => intersectRanges(ranges, above.allowedIps), own);

/**
 * When the first of some old secrets of the ancestors ends, by their hashes; undefined without any. A secret that its
 * key no longer lists has ended, with a rotation or a revocation: by the time of the latest at most.
 */
const endOfSecrets = (
  hashes: readonly string[] | undefined = [],
  ancestors: readonly Ancestor[],
): number | undefined => {
  if (hashes.length === 0) return undefined;
  const until = new Map(ancestors.flatMap(({ oldSecrets }) => oldSecrets.map((old) => [old.hash, old.until])));
  const latest = Math.max(0, ...ancestors.flatMap(({ rotatedAt = 0, revokedAt = 0 }) => [rotatedAt, revokedAt]));
  return Math.min(...hashes.map((hash) => until.get(hash) ?? latest));
};

const earliest = (times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

/**
 * A key with inherited state: revoked if an ancestor was with its tree, limited to the ancestors' addresses, and ended
 * with the old secrets that it is tied to.
 */
export const withInherited = <K extends Inheriting>(key: K, ancestors: readonly Ancestor[]): K => ({
  ...key,
  ...definedFields({
    allowedIps: rangesInForce(key.allowedIps, ancestors),
    expiresAt: earliest([key.expiresAt, endOfSecrets(key.tiedTo, ancestors)]),
    revokedAt: earliest([key.revokedAt, ...ancestors.map(({ treeRevokedAt }) => treeRevokedAt)]),
  }),
});

import { intersectRanges } from './ip-ranges.ts';

/** The restrictions that a key imposes on the keys below it. */
export interface Ancestor {
  /** The addresses and CIDR blocks of its own list. */
  readonly allowedIps?: readonly string[];
  /** When it was revoked together with every key below it, in ms. */
  readonly treeRevokedAt?: number;
}

/**
 * The addresses that a key may be used from: the intersection of its own list and those of its ancestors; undefined
 * means any.
 */
export const rangesInForce = (
  own: readonly string[] | undefined,
  ancestors: readonly Ancestor[],
): readonly string[] | undefined => ancestors.reduce((ranges, above) => intersectRanges(ranges, above.allowedIps), own);

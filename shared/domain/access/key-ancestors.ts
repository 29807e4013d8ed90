import { intersectRanges } from './ip-ranges.ts';

/** What of a key holds for the keys below it. */
export interface Ancestor {
  /** The addresses and CIDR blocks of its own list. */
  readonly allowedIps?: readonly string[];
  /** When it was revoked together with every key below it, in ms. */
  readonly treeRevokedAt?: number;
}

/** The addresses that a key may be used from: those that its own list and each ancestor's allow; undefined means any. */
export const rangesInForce = (
  own: readonly string[] | undefined,
  ancestors: readonly Ancestor[],
): readonly string[] | undefined => ancestors.reduce((ranges, above) => intersectRanges(ranges, above.allowedIps), own);

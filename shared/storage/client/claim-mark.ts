import { randomBytes } from 'node:crypto';

/** Random bytes of a mark. It only has to differ from the marks of the same row's other claims within a call's repeats. */
const MARK_BYTES = 6;

/**
 * The mark of a claim, stored with it. If the write's answer is lost, its repeat fails its own condition, and knows by the mark that the
 * claim is its own: no time or version proves that, since another worker may claim within the same millisecond.
 */
export const claimMark = (): string => randomBytes(MARK_BYTES).toString('base64url');

/**
 * The part of their whole that the slow tests do, above 0 and up to 1: short in `npm test`, all of it in `npm run test:slow`.
 * `TEST_SHARE=…` chooses another.
 */
export const SHARE = Number(process.env.TEST_SHARE);
if (!(SHARE > 0 && SHARE <= 1)) throw new Error(`TEST_SHARE must be above 0 and at most 1: ${process.env.TEST_SHARE}`);

/** So much of a whole number, at least 1. */
export const shareOf = (whole: number): number => Math.ceil(whole * SHARE);

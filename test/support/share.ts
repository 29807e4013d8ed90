/** The share of the slow tests that runs, above 0 and up to 1: a part in `npm test`, all in `npm run test:slow`; else `TEST_SHARE=…`. */
const SHARE = Number(process.env.TEST_SHARE);
if (!(SHARE > 0 && SHARE <= 1)) throw new Error(`TEST_SHARE must be above 0 and at most 1: ${process.env.TEST_SHARE}`);

/** The share of a whole number; not fewer than `least`, unless the whole is. */
export const shareOf = (whole: number, least = 1): number => Math.min(whole, Math.max(least, Math.ceil(whole * SHARE)));

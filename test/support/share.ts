/** The share of the slow tests that runs, above 0 and up to 1: a part in `npm test`, all in `npm run test:slow`; else `TEST_SHARE=…`. */
const SHARE = Number(process.env.TEST_SHARE);
if (!(SHARE > 0 && SHARE <= 1)) throw new Error(`TEST_SHARE must be above 0 and at most 1: ${process.env.TEST_SHARE}`);

/** The least share of a model's histories: fewer need not do anything at all. */
export const LEAST_OF_HISTORIES = 0.1;

/** The share of a whole number, at least 1; `least` for what shows nothing with a smaller one. */
export const shareOf = (whole: number, least = 0): number => Math.ceil(whole * Math.max(SHARE, least));

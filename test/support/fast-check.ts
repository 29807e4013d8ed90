import fc from 'fast-check';

/** The seed of random cases: the same in each run, so that a red one is due to a change. `SEED=…` repeats or tries another. */
const SEED = Number(process.env.SEED ?? 20_261_126);

// A failure prints it, with the path of its case.
fc.configureGlobal({ seed: SEED });

export { fc };

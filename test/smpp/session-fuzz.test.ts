import { expect, it } from 'vitest';
import { shareOf } from '../support/share.ts';
import { fuzzConnections, MAX_GROWN_MB } from './fuzz.ts';

const SEED = Number(process.env.SEED ?? 20_261_126);
/** 50,000 of them in `npm test`. */
const MUTANTS = shareOf(200_000);

it(`${MUTANTS.toLocaleString('en')} mutated PDUs on bound connections end theirs at most, and leave nothing behind`, async () => {
  console.log(`SEED=${SEED}`);
  const { done, taken, grownMb } = await fuzzConnections({ count: MUTANTS, seed: SEED });
  expect(done).toBeGreaterThanOrEqual(MUTANTS);
  // Mutants were served, and not only the healthy client.
  expect(taken).toBeGreaterThan((2 * MUTANTS) / 50);
  expect(grownMb).toBeLessThan(MAX_GROWN_MB);
});

import fc from 'fast-check';
import { test } from 'vitest';
import { usePlaces } from '../support/places.ts';
import { bulkHistories, runBulkHistory } from './bulk-history.ts';

/** Another history: SEED=… npx vitest run test/faults/bulk-model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_121);
const PLACES = await usePlaces('live', 15);

test.each(PLACES)(
  `$place, any history of bulk sends, cancels, repeated, reordered and lost queue messages, and faults of the table keeps the money invariants after every step, sends at most once, and charges exactly what was accepted (seed ${SEED})`,
  async ({ world, runs }) => {
    await fc.assert(
      fc.asyncProperty(bulkHistories(12), (history) => runBulkHistory(world, history)),
      { seed: SEED, numRuns: runs, endOnFailure: true },
    );
  },
  600_000,
);

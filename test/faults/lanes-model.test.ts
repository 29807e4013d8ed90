import fc from 'fast-check';
import { test } from 'vitest';
import { usePlaces } from '../support/places.ts';
import { laneHistories, runLaneHistory } from './lanes-history.ts';

/** Another history: SEED=… npx vitest run test/faults/lanes-model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_123);
/** `npm run torture -- lanes` runs 100,000 steps. */
const PLACES = await usePlaces('live', 60);

test.each(PLACES)(
  `$place, any history of sends, refusals, credits, recalls, lanes that open and close, processes that end, months and price tables keeps the balance of a plain ledger after every step, and each position of a month is paid for once (seed ${SEED})`,
  async ({ world, runs }) => {
    await fc.assert(
      fc.asyncProperty(laneHistories(100), fc.integer({ min: 100_000, max: 400_000 }), (history, coins) =>
        runLaneHistory(world, history, coins),
      ),
      { seed: SEED, numRuns: runs, endOnFailure: true },
    );
  },
  600_000,
);

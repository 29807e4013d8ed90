import fc from 'fast-check';
import { test } from 'vitest';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { laneHistories, runLaneHistory } from './lanes-history.ts';

/** Another history: SEED=… npx vitest run test/faults/lanes-model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_123);
/** `npm run torture -- lanes` runs 100,000 steps. */
const RUNS = shareOf(60);

const world = await use(startWorld('live'));

test(`any history of sends, refusals, credits, recalls, lanes that open and close, processes that end, months and price tables keeps the balance of a plain ledger after every step, and each position of a month is paid for once (seed ${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(laneHistories(100), fc.integer({ min: 100_000, max: 400_000 }), (history, coins) =>
      runLaneHistory(world, history, coins),
    ),
    { seed: SEED, numRuns: RUNS, endOnFailure: true },
  );
}, 600_000);

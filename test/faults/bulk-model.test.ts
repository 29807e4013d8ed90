import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bulkHistories, runBulkHistory } from '../support/bulk-model.ts';
import { startWorld, type World } from '../support/world.ts';

/** Another history: SEED=… npx vitest run test/faults/bulk-model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_121);
const RUNS = Number(process.env.RUNS ?? 15);

describe('any history of bulk sends, cancels, repeated, reordered and lost queue messages, and faults of the table', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld('live');
  });
  afterAll(() => world.close());

  test(`keeps the money invariants after every step, sends at most once, and charges exactly what was accepted (seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(bulkHistories(12), (history) => runBulkHistory(world, history)),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    );
  }, 600_000);
});

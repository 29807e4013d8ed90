import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { historyArbitrary, runHistory } from '../support/send-model.ts';
import { startWorld, type World } from '../support/world.ts';

/** Another history: SEED=… npx vitest run test/faults/model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_121);

describe('any history of sends, receipts, sweeps, repeated and reordered queue messages, and faults of the table', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld('live');
  });
  afterAll(() => world.close());

  test(`keeps the money invariants after every step, sends at most once, and charges exactly what was accepted (seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(historyArbitrary(14), (history) => runHistory(world, history)),
      { seed: SEED, numRuns: 60, endOnFailure: false },
    );
  }, 120_000);
});

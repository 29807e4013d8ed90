import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usePlaces } from '../support/places.ts';
import { campaignHistories, campaignModel } from './history.ts';

const SEED = Number(process.env.SEED ?? 20_261_126);
const PLACES = await usePlaces('live', 60);

test(`with any crashes, pauses, repeats and lack of funds, each eligible person gets exactly one message and the coins add up, in memory and on the engine (seed ${SEED})`, {
  timeout: 600_000,
}, async () => {
  let sent = 0;
  for (const { world, runs } of PLACES) {
    world.reset();
    const model = campaignModel(world);
    const property = fc.asyncProperty(campaignHistories, async (history) => {
      sent += await model.run(history);
    });
    await fc.assert(property, { seed: SEED, numRuns: runs });
  }
  expect(sent).toBeGreaterThan(0);
});

import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignHistories, campaignModel } from './history.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const model = campaignModel(world);
/** Another one in each run; `SEED=…` repeats it. */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));

test(`whatever crashes, pauses, repeats and lacks money, each person who may be written to has one message in the end, and the coins add up (seed ${SEED})`, {
  timeout: 600_000,
}, async () => {
  let sent = 0;
  const property = fc.asyncProperty(campaignHistories, async (history) => {
    sent += await model.run(history);
  });
  await fc.assert(property, { seed: SEED, numRuns: shareOf(60) });
  expect(sent).toBeGreaterThan(0);
});

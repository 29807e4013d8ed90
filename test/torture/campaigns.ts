import fc from 'fast-check';
import { campaignHistories, campaignModel } from '../campaigns/history.ts';
import { startWorld } from '../support/world.ts';
import type { Part } from './part.ts';

/** The engine keeps its rows in memory: a new one after this many histories. */
const HISTORIES_PER_WORLD = 50;

/** Histories of campaigns: crashes, repeats, faults, pauses and want of money; who was written to, and every coin, at the end of each. */
export const campaigns: Part = {
  whole: 1_000,
  unit: 'histories of campaigns',
  async run({ count, seed, late }) {
    let [histories, steps, messages] = [0, 0, 0];
    for (let round = 0; histories < count && !late(); round++) {
      const world = await startWorld('live');
      try {
        const model = campaignModel(world);
        const property = fc.asyncProperty(campaignHistories, async (history) => {
          if (late()) return;
          messages += await model.run(history);
          steps += history.steps.length;
          histories += 1;
        });
        const numRuns = Math.min(HISTORIES_PER_WORLD, count - histories);
        await fc.assert(property, { seed: seed + round, numRuns, endOnFailure: true });
      } finally {
        await world.close();
      }
    }
    return { done: histories, figures: { steps, messages, 'skipped, doubled or mischarged': 0 } };
  },
};

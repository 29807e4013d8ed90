import fc from 'fast-check';
import { laneHistories, runLaneHistory } from '../faults/lanes-history.ts';
import { startWorld } from '../support/world.ts';
import type { Part } from './part.ts';

const STEPS = 100;

/** Histories of a wallet with lanes beside a plain ledger: balances and prices equal to the coin after every step. */
export const lanes: Part = {
  whole: 100_000,
  unit: 'steps of wallets with lanes',
  async run({ count, seed, late }) {
    const world = await startWorld('live');
    let done = 0;
    try {
      const property = fc.asyncProperty(
        laneHistories(STEPS),
        fc.integer({ min: 100_000, max: 400_000 }),
        async (history, coins) => {
          if (late()) return;
          await runLaneHistory(world, history, coins);
          done += history.length;
        },
      );
      await fc.assert(property, { seed, numRuns: Math.ceil(count / STEPS), endOnFailure: true });
    } finally {
      await world.close();
    }
    return { done, figures: {} };
  },
};

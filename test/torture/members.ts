import fc from 'fast-check';
import { membershipHistories, runMembershipHistory, TREES } from '../audience/membership-model.ts';
import { startWorld } from '../support/world.ts';
import type { Part } from './part.ts';

/** The engine keeps its rows in memory: a new one after this many histories. */
const HISTORIES_PER_WORLD = 25;

/** Histories of contacts, lists and many segments beside plain filters: who entered and left, after every step. */
export const members: Part = {
  whole: 1_000,
  unit: 'trees of segments',
  async run({ count, seed, late }) {
    let [trees, steps, moves] = [0, 0, 0];
    for (let round = 0; trees < count && !late(); round++) {
      const world = await startWorld('test');
      try {
        const property = fc.asyncProperty(membershipHistories, async (history) => {
          if (late()) return;
          moves += await runMembershipHistory(world, history);
          steps += history.steps.length;
          trees += history.trees.length;
        });
        const numRuns = Math.min(HISTORIES_PER_WORLD, Math.ceil((count - trees) / TREES));
        await fc.assert(property, { seed: seed + round, numRuns, endOnFailure: true });
      } finally {
        await world.close();
      }
    }
    return { done: trees, figures: { steps, 'moves reported': moves, 'lost or doubled': 0 } };
  },
};

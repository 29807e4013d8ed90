import fc from 'fast-check';
import { test } from 'vitest';
import { companiesOf } from '../support/companies.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { historyArbitrary, newScene, playHistory } from './history.ts';

/** Another history: SEED=… npx vitest run test/crm/model.test.ts; SHRINK=1 looks for a short one that fails, which takes minutes. */
const SEED = Number(process.env.SEED ?? 20_261_125);
const STEPS = 100;

const world = await use(startWorld('test'));
const kit = companiesOf(world);
const account = (actor: Parameters<typeof kit.account>[0]) => kit.account(actor, 'active');

test.each([
  { what: 'operations', runs: 70, isTroubled: false },
  { what: 'operations whose processes end, whose answers are lost, and that meet others', runs: 30, isTroubled: true },
])(
  `any history of $what leaves what a plain model has: counts, sums, orders, lists, and no link to what is gone (seed ${SEED})`,
  async ({ runs, isTroubled }) => {
    await fc.assert(
      fc.asyncProperty(historyArbitrary(STEPS, isTroubled), async (turns) => {
        await playHistory(world, await newScene(world, account), turns);
      }),
      { seed: SEED, numRuns: runs, endOnFailure: !process.env.SHRINK },
    );
  },
  1_200_000,
);

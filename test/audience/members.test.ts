import fc from 'fast-check';
import { test } from 'vitest';
import { usePlaces } from '../support/places.ts';
import { membershipHistories, runMembershipHistory } from './membership-model.ts';

/** Another run: SEED=… npx vitest run test/audience/members.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_126);
/** Of 40 trees each, and later ones: 2,560 in all. `npm run torture -- members` runs a given number. */
const HISTORIES = 64;
const PLACES = await usePlaces('test', HISTORIES, HISTORIES);

test.each(PLACES)(
  `$place, reports exactly the differences of plain filters as transitions, once each, wherever workers crash (seed ${SEED})`,
  { timeout: 600_000 },
  async ({ world, runs }) => {
    await fc.assert(
      fc.asyncProperty(membershipHistories, async (history) => void (await runMembershipHistory(world, history))),
      // A failure is reported before the test's own timeout, however far it was reduced by then.
      { seed: SEED, numRuns: runs, interruptAfterTimeLimit: 500_000, markInterruptAsFailure: true },
    );
  },
);

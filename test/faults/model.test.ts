import fc from 'fast-check';
import { test } from 'vitest';
import { historyArbitrary, MODELLED, runHistory } from '../support/send-model.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

/** Another history: SEED=… npx vitest run test/faults/model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_121);

/** Histories of SMS, whose volume moves, and of each of the others. */
const RUNS = { sms: shareOf(12), others: shareOf(4) };

const world = await use(startWorld('live'));

test.each(MODELLED)(
  `any history of sends, fallbacks, receipts, sweeps, repeated and reordered queue messages, and faults of the table on %s keeps the money invariants after every step, sends at most once, and charges exactly what was accepted (seed ${SEED})`,
  async (channel) => {
    await fc.assert(
      fc.asyncProperty(historyArbitrary(14), (history) => runHistory(world, channel, history)),
      { seed: SEED, numRuns: channel === 'sms' ? RUNS.sms : RUNS.others, endOnFailure: false },
    );
  },
  600_000,
);

import fc from 'fast-check';
import { test } from 'vitest';
import { usePlaces } from '../support/places.ts';
import { burstsArbitrary, runHistory } from '../support/send-model.ts';
import { gatheringPorts } from './together-kit.ts';

/** Another history: SEED=… npx vitest run test/faults/together-model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_126);
const HISTORIES = 16;
const PLACES = await usePlaces('live', HISTORIES, HISTORIES);

test.each(PLACES)(
  `$place, any history of sends, many of them concurrent, receipts, sweeps, repeated queue messages and table faults keeps the money invariants after every step, sends at most once, and charges exactly what was accepted (seed ${SEED})`,
  async ({ world, runs }) => {
    const ports = { ...world.ports, ...gatheringPorts(world) };
    await fc.assert(
      fc.asyncProperty(burstsArbitrary(8), (history) => runHistory(world, 'sms', history, ports)),
      { seed: SEED, numRuns: runs, endOnFailure: false },
    );
  },
  600_000,
);

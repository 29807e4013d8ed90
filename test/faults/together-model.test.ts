import fc from 'fast-check';
import { test } from 'vitest';
import { burstsArbitrary, runHistory } from '../support/send-model.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { gatheringPorts } from './together-kit.ts';

/** Another history: SEED=… npx vitest run test/faults/together-model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_126);
const RUNS = shareOf(16);

const world = await use(startWorld('live'));
const ports = { ...world.ports, ...gatheringPorts(world) };

test(`any history of sends, many of them concurrent, receipts, sweeps, repeated queue messages and table faults keeps the money invariants after every step, sends at most once, and charges exactly what was accepted (seed ${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(burstsArbitrary(8), (history) => runHistory(world, 'sms', history, ports)),
    { seed: SEED, numRuns: RUNS, endOnFailure: false },
  );
}, 600_000);

import fc from 'fast-check';
import { test } from 'vitest';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { type LaneStep, runLaneHistory } from './lanes-history.ts';

/** Another history: SEED=… npx vitest run test/faults/lanes-model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_123);
/** 100,000 steps as a whole. */
const STEPS = 100;
const RUNS = shareOf(1_000);

const kindOnly = (
  ...kinds: Extract<LaneStep, { kind: 'open' | 'recall' | 'check' | 'another process' | 'month' }>['kind'][]
) => fc.constantFrom(...kinds).map((kind): LaneStep => ({ kind }));

const steps: fc.Arbitrary<LaneStep> = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.record({
      kind: fc.constant('send'),
      segments: fc.integer({ min: 1, max: 4 }),
      refused: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('burst'), sends: fc.integer({ min: 2, max: 6 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('credit'), coins: fc.integer({ min: 1, max: 60_000 }) }) },
  { weight: 12, arbitrary: kindOnly('open') },
  { weight: 14, arbitrary: kindOnly('recall', 'check', 'another process') },
  { weight: 1, arbitrary: kindOnly('month') },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('prices'), table: fc.nat(2) }) },
) as fc.Arbitrary<LaneStep>;

const world = await use(startWorld('live'));

test(`any history of sends, refusals, credits, recalls, lanes that open and close, processes that end, months and price tables keeps the balance of a plain ledger after every step, and each position of a month is paid for once (seed ${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { minLength: STEPS, maxLength: STEPS, size: 'max' }),
      fc.integer({ min: 100_000, max: 400_000 }),
      (history, coins) => runLaneHistory(world, history, coins),
    ),
    { seed: SEED, numRuns: RUNS, endOnFailure: true },
  );
}, 3_600_000);

import { expect, test } from 'vitest';
import { mapConcurrently } from '../../shared/domain/core/map-concurrently.ts';
import { chanceOf } from '../support/chance.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { History } from './history.ts';
import { CONCURRENCY, ofHistory, playInMemory } from './in-memory.ts';
import { Tally } from './tally.ts';

/** Other histories: SEED=… HISTORIES=… npx vitest run test/journeys/model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_126);
const IN_MEMORY = shareOf(Number(process.env.HISTORIES ?? 20_000));
const ON_THE_ENGINE = shareOf(Number(process.env.HISTORIES ?? 120));
/** So few need not have seen everything. */
const TELLING = 500;

const seeds = (count: number): number[] => Array.from({ length: count }, (_, nth) => SEED + nth);

test(`despite crashes, conflicts and repeats, each run proceeds as in the pure interpreter: ${IN_MEMORY} histories from seed ${SEED}`, async () => {
  const tally = new Tally();
  await mapConcurrently(seeds(IN_MEMORY), CONCURRENCY, (seed) => playInMemory(seed, tally));
  console.log(tally.text);
  expect(tally.counts.histories).toBe(IN_MEMORY);
  if (IN_MEMORY >= TELLING) tally.expectEach();
}, 3_600_000);

const { table } = await use(startWorld('test', { inMemory: false }));

test(`so it does on the embedded engine: ${ON_THE_ENGINE} histories from seed ${SEED}`, async () => {
  for (const seed of seeds(ON_THE_ENGINE))
    await ofHistory(seed, new History(table, chanceOf(seed), { name: `history ${seed}` }).run());
}, 600_000);

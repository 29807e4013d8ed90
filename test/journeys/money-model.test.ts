import { expect, test } from 'vitest';
import { LEAST_OF_HISTORIES, shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld, type World } from '../support/world.ts';
import { ofHistory } from './in-memory.ts';
import { playPaid } from './paid-history.ts';
import { PAID_HAPPENINGS, Tally } from './tally.ts';

/** Other histories: SEED=… HISTORIES=… npx vitest run test/journeys/money-model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_126);
const IN_MEMORY = shareOf(Number(process.env.HISTORIES ?? 600), LEAST_OF_HISTORIES);
const ON_THE_ENGINE = shareOf(Number(process.env.HISTORIES ?? 24));
/** So few need not have seen everything. */
const TELLING = 60;

const playAll = async (count: number, worldOf: () => Promise<World>, tally?: Tally): Promise<void> => {
  let messages = 0;
  const play = async (seed: number) => {
    messages += await playPaid(await worldOf(), seed, tally);
  };
  for (let nth = 0; nth < count; nth++) await ofHistory(SEED + nth, play(SEED + nth));
  expect(messages).toBeGreaterThan(count);
};

test(`whatever happens, the wallet paid exactly for the messages in the runs' histories: ${IN_MEMORY} histories from seed ${SEED}`, async () => {
  const tally = new Tally();
  await playAll(IN_MEMORY, () => startWorld('test', { inMemory: true }), tally);
  console.log(tally.text);
  expect(tally.counts.histories).toBe(IN_MEMORY);
  if (IN_MEMORY >= TELLING) tally.expectEach(PAID_HAPPENINGS);
}, 3_600_000);

const engine = await use(startWorld('test', { inMemory: false }));

test(`so it is on the embedded engine: ${ON_THE_ENGINE} histories from seed ${SEED}`, async () => {
  await playAll(ON_THE_ENGINE, async () => engine);
}, 600_000);

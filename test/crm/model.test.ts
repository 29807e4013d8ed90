import fc from 'fast-check';
import { test } from 'vitest';
import { companiesOf } from '../support/companies.ts';
import { LEAST_OF_HISTORIES, shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { historyArbitrary, newScene, playHistory } from './history.ts';

/** Another history: SEED=… npx vitest run test/crm/model.test.ts; SHRINK=1 shrinks a failing one, which takes minutes. */
const SEED = Number(process.env.SEED ?? 20_261_125);
/** Of a history. In memory every run plays 10,000 of them; on the engine a share. */
const STEPS = 100;

const placed = async (inMemory: boolean) => {
  const world = await use(startWorld('test', { inMemory }));
  const kit = companiesOf(world);
  const account = (actor: Parameters<typeof kit.account>[0]) => kit.account(actor, 'active');
  return { world, newScene: () => newScene(world, account) };
};
const IN_MEMORY = await placed(true);
const ON_ENGINE = await placed(false);

const PLAIN = { what: 'operations', isTroubled: false };
const TROUBLED = {
  what: 'operations whose processes end, whose answers are lost, and that meet others',
  isTroubled: true,
};

test.each([
  { ...PLAIN, place: 'in memory', runs: shareOf(280, LEAST_OF_HISTORIES), on: IN_MEMORY },
  { ...TROUBLED, place: 'in memory', runs: shareOf(120, LEAST_OF_HISTORIES), on: IN_MEMORY },
  { ...PLAIN, place: 'on the engine', runs: shareOf(10), on: ON_ENGINE },
  { ...TROUBLED, place: 'on the engine', runs: shareOf(6), on: ON_ENGINE },
])(
  `$place, any history of $what matches a plain model: counts, sums, orders, lists, and no links to deleted objects (seed ${SEED})`,
  async ({ runs, isTroubled, on }) => {
    await fc.assert(
      fc.asyncProperty(historyArbitrary(STEPS, isTroubled), async (turns) => {
        await playHistory(on.world, await on.newScene(), turns);
      }),
      { seed: SEED, numRuns: runs, endOnFailure: !process.env.SHRINK },
    );
  },
  1_200_000,
);

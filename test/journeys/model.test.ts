import { expect, test } from 'vitest';
import { chanceOf } from '../support/chance.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { History } from './history.ts';

/** Another history: SEED=… npx vitest run test/journeys/model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_126);
const HISTORIES = shareOf(Number(process.env.HISTORIES ?? 560));
const HAPPENINGS = 22;

const { table } = await use(startWorld('test'));

test(`whatever happens, crashes and is told twice, each run goes as the pure interpreter takes it (seed ${SEED})`, async () => {
  for (let nth = 0; nth < HISTORIES; nth++) {
    const history = new History(table, chanceOf(SEED + nth));
    await history.begin();
    await history.play(HAPPENINGS).catch((error: unknown) => {
      throw new Error(`history ${SEED + nth} failed`, { cause: error });
    });
    await history.checkCounts();
  }
  expect(HISTORIES).toBeGreaterThan(0);
}, 600_000);

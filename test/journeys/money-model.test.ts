import { expect, test } from 'vitest';
import { chanceOf } from '../support/chance.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { PaidHistory } from './paid-history.ts';

/** Another history: SEED=… npx vitest run test/journeys/money-model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_126);
const HISTORIES = shareOf(Number(process.env.HISTORIES ?? 80));
const HAPPENINGS = 24;

const world = await use(startWorld('test'));

test(`whatever happens, what left the wallet is the price of the messages that the histories of runs tell of (seed ${SEED})`, async () => {
  let messages = 0;
  for (let nth = 0; nth < HISTORIES; nth++) {
    const history = new PaidHistory(world, chanceOf(SEED + nth));
    await history.begin();
    const play = async () => {
      await history.play(HAPPENINGS);
      await history.settle();
      messages += await history.check();
      await history.end();
    };
    await play().catch((error: unknown) => {
      throw new Error(`history ${SEED + nth} failed`, { cause: error });
    });
  }
  expect(messages).toBeGreaterThan(HISTORIES);
}, 600_000);

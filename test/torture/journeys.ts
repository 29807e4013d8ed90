import { mapConcurrently } from '../../shared/domain/core/map-concurrently.ts';
import { History } from '../journeys/history.ts';
import { PaidHistory } from '../journeys/paid-history.ts';
import { chanceOf } from '../support/chance.ts';
import { startWorld, type World } from '../support/world.ts';
import type { Part } from './part.ts';

/** The engine keeps its rows in memory: a new one after this many histories. */
const HISTORIES_PER_WORLD = 100;
const HAPPENINGS = 22;
/** Of so many histories, by their seeds, one has real sends out of a real wallet. */
const PAID_AMONG = 10;
/** Histories that are played at once, in organizations of their own. */
const AT_ONCE = 4;

const isPaid = (seed: number): boolean => seed % PAID_AMONG === 0;

const playFree = async (world: World, seed: number): Promise<void> => {
  const history = new History(world.table, chanceOf(seed));
  await history.begin();
  await history.play(HAPPENINGS);
  await history.checkCounts();
};
/** Answers how many messages it sent. */
const playPaid = async (world: World, seed: number): Promise<number> => {
  const history = new PaidHistory(world, chanceOf(seed));
  await history.begin();
  await history.play(HAPPENINGS);
  await history.settle();
  const messages = await history.check();
  await history.end();
  return messages;
};
const repeatable = async <T>(seed: number, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    const again = `SEED=${seed} npm run torture -- journeys=1`;
    throw new Error(`The history of seed ${seed} breaks the model; repeat it by ${again}`, { cause: error });
  }
};

/** Histories of runs beside the pure interpreter, and with sends that are paid for: nobody skipped, nobody sent to twice, and every coin accounted for. */
export const journeys: Part = {
  whole: 5_000,
  unit: 'histories of journeys',
  async run({ count, seed, late }) {
    let [done, paid, messages] = [0, 0, 0];
    while (done < count && !late()) {
      // What is due among paid histories is theirs alone.
      const [paying, world] = await Promise.all([startWorld('test'), startWorld('test')]);
      try {
        for (let turn = 0; turn < HISTORIES_PER_WORLD && done < count && !late(); turn += PAID_AMONG) {
          const seeds = Array.from({ length: Math.min(PAID_AMONG, count - done) }, (_, at) => seed + done + at);
          // They share the clock of their world.
          for (const paidSeed of seeds.filter(isPaid)) {
            messages += await repeatable(paidSeed, playPaid(paying, paidSeed));
            paid += 1;
          }
          const others = seeds.filter((each) => !isPaid(each));
          await mapConcurrently(others, AT_ONCE, (each) => repeatable(each, playFree(world, each)));
          done += seeds.length;
        }
      } finally {
        await Promise.all([paying.close(), world.close()]);
      }
    }
    const figures = { 'with real sends': paid, 'messages paid for': messages, 'skipped, doubled or mischarged': 0 };
    return { done, figures: { ...figures, seeds: `${seed} to ${seed + done - 1}` } };
  },
};

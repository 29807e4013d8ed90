import { mapConcurrently } from '../../shared/domain/core/map-concurrently.ts';
import { History } from '../journeys/history.ts';
import { CONCURRENCY, playInMemory } from '../journeys/in-memory.ts';
import { playPaid } from '../journeys/paid-history.ts';
import { Tally } from '../journeys/tally.ts';
import { chanceOf } from '../support/chance.ts';
import { startWorld } from '../support/world.ts';
import type { Part } from './part.ts';

/** Histories between two checks of the time. */
const AT_A_TIME = 400;
/** Of so many histories, by their seeds, one has real sends out of a real wallet, and one of those that are left is played on the embedded engine. */
const PAID_AMONG = 20;
const ON_ENGINE_AMONG = 400;

const playOnEngine = async (seed: number, tally: Tally): Promise<void> => {
  const world = await startWorld('test');
  const name = `history ${seed}`;
  try {
    await new History(world.table, chanceOf(seed), { name, tally }).run();
  } finally {
    await world.close();
  }
};

/** Plays the history of a seed; answers how many messages it paid for. */
const play = async (seed: number, tally: Tally): Promise<number> => {
  try {
    if (seed % PAID_AMONG === 0) return await playPaid(await startWorld('test', { inMemory: true }), seed, tally);
    await (seed % ON_ENGINE_AMONG === 1 ? playOnEngine(seed, tally) : playInMemory(seed, tally));
    return 0;
  } catch (error) {
    const again = `SEED=${seed} npm run torture -- journeys=1`;
    throw new Error(`The history of seed ${seed} breaks the model; repeat it by ${again}`, { cause: error });
  }
};

/**
 * Histories of runs compared with the pure interpreter, and with paid sends: no contact skipped, none sent to twice, and every coin
 * accounted for.
 */
export const journeys: Part = {
  whole: 200_000,
  unit: 'histories of journeys',
  async run({ count, seed, late }) {
    const tally = new Tally();
    let [done, messages] = [0, 0];
    while (done < count && !late()) {
      const seeds = Array.from({ length: Math.min(AT_A_TIME, count - done) }, (_, at) => seed + done + at);
      const paid = await mapConcurrently(seeds, CONCURRENCY, (each) => play(each, tally));
      messages += paid.reduce((sum, each) => sum + each, 0);
      done += seeds.length;
    }
    const figures = { ...tally.counts, 'messages paid for': messages, 'skipped, doubled or mischarged': 0 };
    return { done, figures: { ...figures, seeds: `${seed} to ${seed + done - 1}` } };
  },
};

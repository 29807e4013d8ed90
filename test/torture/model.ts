import fc from 'fast-check';
import { historyArbitrary, MODELLED, runHistory, type Step } from '../support/send-model.ts';
import { startWorld, type World } from '../support/world.ts';
import type { Part, PartOptions, Report } from './part.ts';

const LENGTH = 14;
/** The engine keeps its rows in memory: a new one after this many histories. */
const HISTORIES_PER_WORLD = 150;

const historyOf = (seed: number): Step[] => fc.sample(historyArbitrary(LENGTH), { seed, numRuns: 1 })[0] ?? [];
const stepsOf = (history: readonly Step[], kind: Step['do']) => history.filter((step) => step.do === kind).length;

const runOne = async (world: World, seed: number): Promise<Step[]> => {
  const history = historyOf(seed);
  try {
    await runHistory(world, MODELLED[seed % MODELLED.length] ?? 'sms', history);
  } catch (error) {
    const again = `SEED=${seed} npm run torture -- model=1`;
    throw new Error(`The history of seed ${seed} breaks the model; repeat it by ${again}\n${JSON.stringify(history)}`, {
      cause: error,
    });
  }
  return history;
};

const run = async ({ count, seed, late }: PartOptions): Promise<Report> => {
  let [histories, sends, faults] = [0, 0, 0];
  while (sends < count && !late()) {
    const world = await startWorld('live');
    for (let turn = 0; turn < HISTORIES_PER_WORLD && sends < count && !late(); turn++) {
      const history = await runOne(world, seed + histories);
      histories += 1;
      sends += stepsOf(history, 'send');
      faults += stepsOf(history, 'fault');
    }
    await world.close();
  }
  const figures = {
    histories,
    channels: Math.min(histories, MODELLED.length),
    'bursts of table faults': faults,
    'lost, doubled or mischarged': 0,
  };
  return { done: sends, figures: { ...figures, seeds: `${seed} to ${seed + histories - 1}` } };
};

/** Histories of sends on every channel in turn, with fallbacks over others, receipts, sweeps, repeats and table faults, the invariants of money checked after every step. */
export const model: Part = { whole: 100_000, unit: 'fault-injected sends', run };

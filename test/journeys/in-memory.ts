import { Table } from '../../shared/storage/client/table.ts';
import { chanceOf } from '../support/chance.ts';
import { MemoryTables, memoryClient } from '../support/memory-table/client.ts';
import { faultyCalls, type MemoryFault } from '../support/memory-table/faults.ts';
import { History } from './history.ts';
import type { HappeningName, Tally } from './tally.ts';

/** Calls of which one meets a fault. */
const FAULT_AMONG = 300;
const NAMES: Readonly<Record<MemoryFault, HappeningName>> = {
  conflict: 'conflicts',
  throttle: 'throttles',
  'lost answer': 'lost answers',
};
/** How often a history is checked: at its end, and after one step in so many. */
const CHECK_AMONG = 4;

/** Histories that are played at once: each waits now and then, as who meets others does. */
export const CONCURRENCY = 8;

/** Adds to an error which history it is of. */
export const ofHistory = async (seed: number, work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    throw new Error(`the history of seed ${seed} breaks the model`, { cause: error });
  });
};

/** Plays the history of a seed over a table of its own in memory, whose calls meet faults. */
export const playInMemory = async (seed: number, tally: Tally): Promise<void> => {
  const faults = faultyCalls(chanceOf(seed ^ 0x5bd1e995), FAULT_AMONG, (fault) => tally.note(NAMES[fault]));
  const table = new Table(memoryClient(new MemoryTables(), faults), 'test');
  const options = { name: `history ${seed}`, tally, checkAmong: CHECK_AMONG };
  await ofHistory(seed, new History(table, chanceOf(seed), options).run());
};

import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

/*
 * A set-up of the projects whose files Node imports itself: what Node stripped of types and compiled for one file, the next ones read. Node
 * writes it by itself where a process ends by itself; these are ended by a signal.
 */

/** How many files this process ran. Of the process, since each file evaluates this module again. */
const ran = globalThis as { filesRun?: number };
afterAll(() => {
  const nth = (ran.filesRun ?? 0) + 1;
  ran.filesRun = nth;
  // After the 1st, 2nd, 4th, 8th …: a flush goes over all modules of the process, and the later files bring few.
  if (Number.isInteger(Math.log2(nth))) flushCompileCache();
});

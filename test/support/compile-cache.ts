import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

/*
 * A set-up of the projects whose files Node imports itself: what Node stripped of types and compiled for one file, other processes read. Node
 * writes it by itself where a process ends by itself; these are ended by a signal.
 */
/** How often a process of many files writes what it compiled, in ms: each time takes tens of them. */
const INTERVAL_MS = 10_000;
const OF_PROCESS = process as { compileCacheFlushedAt?: number };
afterAll(() => {
  if (performance.now() - (OF_PROCESS.compileCacheFlushedAt ?? -INTERVAL_MS) < INTERVAL_MS) return;
  flushCompileCache();
  OF_PROCESS.compileCacheFlushedAt = performance.now();
});

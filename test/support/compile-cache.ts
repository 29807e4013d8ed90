import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

/*
 * A set-up of the projects whose files Node imports itself: what Node stripped of types and compiled for one file, the next ones read. Node
 * writes it by itself where a process ends by itself; these are ended by a signal.
 */
afterAll(() => flushCompileCache());

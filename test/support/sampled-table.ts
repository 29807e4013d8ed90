import { join, relative } from 'node:path';
import { expect } from 'vitest';
import { isSampled } from './sampled.ts';

/*
 * A set-up of projects whose files have their table in memory, except a sample of them; the same process runs both. Those of the console are no
 * part of the sample: in a process they all use the service that the first one started.
 */
const file = relative(join(import.meta.dirname, '../..'), expect.getState().testPath ?? '').replaceAll('\\', '/');
// Vitest evaluates this file once for each test file of the process.
process.env.TEST_TABLE = isSampled(file) && !file.startsWith('test/console/') ? 'engine' : 'memory';

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';

const WORKER = new URL('./build-lock-worker.ts', import.meta.url);
const BUILDERS = 8;
/** In the mode in which a failed try kept a shared lock, builders waited for each other for ever within the first dozens. */
const TIMES = 60;

const folder = await mkdtemp(join(tmpdir(), 'build-lock-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

test('builders of one folder take turns, however many want to build at once, and none waits for ever', async () => {
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { folder, times: TIMES, counter };
  const workers = Array.from({ length: BUILDERS }, () => new Worker(WORKER, { workerData }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  await Promise.all(workers.map((worker) => worker.terminate()));
  expect(counter[0]).toBe(BUILDERS * TIMES);
}, 60_000);

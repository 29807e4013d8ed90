import { parentPort, workerData } from 'node:worker_threads';
import { withBuildLock } from '../../infra/build/build-lock.ts';

/** Takes the lock of a folder so many times, each time as soon as it can; counts up without an atomic step while it has it. */
const { folder, times, counter } = workerData as { folder: string; times: number; counter: Int32Array };
for (let turn = 0; turn < times; turn++)
  await withBuildLock(folder, async () => {
    const before = counter[0] ?? 0;
    await new Promise(setImmediate);
    counter[0] = before + 1;
  });
parentPort?.postMessage('done');

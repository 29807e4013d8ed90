import { flushCompileCache } from 'node:module';

const READY = 'ready';
export const DONE = 'done';

/** The body of a process that `runProcesses` starts: in its script. */
export const asProcess = <Work, Word>(begin: (work: Work, say: (word: Word) => void) => Promise<void>): void => {
  process.once('message', (work: Work) => {
    const run = async () => {
      await begin(work, (word) => process.send?.(word));
      process.send?.(DONE);
      process.disconnect();
    };
    process.once('message', () => void run());
    flushCompileCache();
    process.send?.(READY);
  });
};

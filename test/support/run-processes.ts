import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/*
 * Work that real processes do at once: each says that it is ready, begins when all are, says what it did, and ends with `done`.
 */
const READY = 'ready';
const DONE = 'done';

/**
 * Starts a process of a script for each piece of work, all of them at once; those before `killed` are killed when they say their first word. Answers
 * what each said; throws where one that was not killed did not come to its end.
 */
export const runProcesses = async <Work, Word>(
  script: URL,
  work: readonly Work[],
  killed = 0,
): Promise<readonly (readonly Word[])[]> => {
  const children: ChildProcess[] = work.map(() => fork(script, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }));
  const said = children.map((): (Word | typeof DONE)[] => []);
  const ends = children.map((child) => once(child, 'exit'));
  await Promise.all(
    children.map(async (child, at) => {
      child.send(work[at] as NonNullable<Work>);
      await once(child, 'message');
      child.on('message', (word: Word | typeof DONE) => {
        said[at]?.push(word);
        if (at < killed) child.kill('SIGKILL');
      });
    }),
  );
  for (const child of children) child.send('go');
  await Promise.all(ends);
  const unfinished = said.slice(killed).filter((words) => words.at(-1) !== DONE);
  if (unfinished.length > 0) throw new Error(`${unfinished.length} processes ended before their work`);
  return said.map((words) => words.filter((word): word is Word => word !== DONE));
};

/** What such a process does: in its script. */
export const asProcess = <Work, Word>(begin: (work: Work, say: (word: Word) => void) => Promise<void>): void => {
  process.once('message', (work: Work) => {
    const run = async () => {
      await begin(work, (word) => process.send?.(word));
      process.send?.(DONE);
      process.disconnect();
    };
    process.once('message', () => void run());
    process.send?.(READY);
  });
};

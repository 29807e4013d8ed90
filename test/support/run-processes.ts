import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { DONE } from './as-process.ts';
import { bundled } from './bundled.ts';

/*
 * Work that real processes do at once (as-process.ts): each says that it is ready, begins when all are, says what it did, and ends with `done`.
 */

/** A process that is ready for its work. */
const started = async <Work>(script: URL, work: Work): Promise<{ child: ChildProcess; ended: Promise<unknown> }> => {
  const child = fork(script, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  child.send(work as NonNullable<Work>);
  await once(child, 'message');
  return { child, ended };
};

/**
 * Starts a process of a script for each piece of work, and lets all begin at once; those before `killed` are killed when they say their first word. Answers
 * what each said; throws where one that was not killed did not come to its end.
 */
export const runProcesses = async <Work, Word>(
  script: URL,
  work: readonly Work[],
  killed = 0,
): Promise<readonly (readonly Word[])[]> => {
  const file = await bundled(script);
  // The first one is ready before the others start: they read what Node compiled for it.
  const first = await Promise.all(work.slice(0, 1).map((each) => started(file, each)));
  const all = [...first, ...(await Promise.all(work.slice(1).map((each) => started(file, each))))];
  const said = all.map((): (Word | typeof DONE)[] => []);
  for (const [at, { child }] of all.entries())
    child.on('message', (word: Word | typeof DONE) => {
      said[at]?.push(word);
      if (at < killed) child.kill('SIGKILL');
    });
  for (const { child } of all) child.send('go');
  await Promise.all(all.map(({ ended }) => ended));
  const unfinished = said.slice(killed).filter((words) => words.at(-1) !== DONE);
  if (unfinished.length > 0) throw new Error(`${unfinished.length} processes ended before their work`);
  return said.map((words) => words.filter((word): word is Word => word !== DONE));
};

import { vi } from 'vitest';
import { runProgram } from '../../infra/operator/command.ts';
import { COMMANDS } from '../../infra/operator/commands/index.ts';

/** How a command ended, and what it printed. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The options that say where a command works. */
const PLACES = /^--(?:data-dir|deployed|stage-prefix)(?:=|$)/;

/**
 * The operator's command line on a data directory, or where the words say, as `npm run admin` runs it, but in this
 * process: a separate process would load the whole program each time. test/flows/operator.test.ts tests it as a process. One command at a
 * time.
 */
export const operatorOf =
  (dataDir: string) =>
  async (...words: string[]): Promise<Ran> => {
    const printed = { stdout: '', stderr: '' };
    const spies = (['stdout', 'stderr'] as const).map((name) =>
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        printed[name] += String(text);
        return true;
      }),
    );
    const place = words.some((word) => PLACES.test(word)) ? [] : ['--data-dir', dataDir];
    const code = await runProgram(COMMANDS, [...words, ...place]).finally(() => {
      for (const spy of spies) spy.mockRestore();
    });
    return { code, ...printed };
  };

/** The document that a command prints with `--json`. Throws its reason if it fails. */
export const operatorJson =
  (dataDir: string) =>
  async (...words: string[]) => {
    const { code, stdout, stderr } = await operatorOf(dataDir)(...words, '--json');
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };

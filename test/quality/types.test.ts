import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { runTool, sourceFiles } from './tools.ts';

const lines = (text: string) => text.split('\n').map((line) => line.trim().replaceAll('\\', '/'));

it('every file of the project compiles in the strictest mode, and no misuse in test/types does', async () => {
  // Each checker would check what it needs of the others' files again: four take almost twice the processor time of one.
  const options = ['--pretty', 'false', '--listFiles', '--checkers', '1'];
  const { code, output, stdout } = await runTool('typescript', 'tsc', options);
  const seen = new Set(lines(stdout).filter((line) => line.startsWith('/')));
  expect(lines(output).filter((line) => line !== '' && !seen.has(line))).toEqual([]);
  expect(code).toBe(0);
  expect(sourceFiles().filter((file) => !seen.has(resolve(file).replaceAll('\\', '/')))).toEqual([]);
}, 180_000);

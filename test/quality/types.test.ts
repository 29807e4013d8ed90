import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { runTool, sourceFiles } from './tools.ts';

const lines = (text: string) => text.split('\n').map((line) => line.trim().replaceAll('\\', '/'));

it('every file of the project compiles in the strictest mode, and no misuse in test/types does', async () => {
  // Each checker would check what it needs of the others' files again: four take almost twice the processor time of one.
  const options = ['--pretty', 'false', '--listFiles', '--checkers', '1'];
  const seen = new Set<string>();
  // The console is of the browser, with other types: a project of its own.
  for (const project of ['.', 'console']) {
    const { code, output, stdout } = await runTool('typescript', 'tsc', ['-p', project, ...options]);
    const files = new Set(lines(stdout).filter((line) => line.startsWith('/')));
    for (const file of files) seen.add(file);
    expect(lines(output).filter((line) => line !== '' && !files.has(line))).toEqual([]);
    expect(code).toBe(0);
  }
  expect(sourceFiles().filter((file) => !seen.has(resolve(file).replaceAll('\\', '/')))).toEqual([]);
}, 300_000);

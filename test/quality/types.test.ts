import { expect, it } from 'vitest';
import { runTool, sourceFiles } from './tools.ts';

it('every file compiles in the strictest mode, and every misuse in test/types does not', async () => {
  const { code, output } = await runTool('typescript', 'tsc', ['--noEmit', '--pretty', 'false']);
  expect(output).toBe('');
  expect(code).toBe(0);
}, 60_000);

it('the compiler sees every file of the project', async () => {
  const { stdout } = await runTool('typescript', 'tsc', ['--noEmit', '--listFilesOnly']);
  const seen = new Set(stdout.split('\n').map((line) => line.trim().replaceAll('\\', '/')));
  const missed = sourceFiles().filter((file) => ![...seen].some((path) => path.endsWith(`/${file}`)));
  expect(missed).toEqual([]);
}, 60_000);

import { expect, it } from 'vitest';
import { runTool } from './tools.ts';

it('no file, export or dependency is unused', async () => {
  const { code, output } = await runTool('knip', 'knip', ['--no-progress', '--no-config-hints']);
  expect(code, output).toBe(0);
}, 300_000);

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../support/local-stack.ts';
import { executable, startBrowser } from './browser.ts';

/** A Chromium that crashes as often before it is ready, and notes each start. */
const crashing = async (times: number) => {
  const folder = await tempDir();
  const [path, starts] = [join(folder, 'chromium'), join(folder, 'starts')];
  const script = `#!/bin/sh
echo start >> '${starts}'
[ "$(wc -l < '${starts}')" -gt ${times} ] || kill -SEGV $$
exec '${await executable()}' "$@"
`;
  await writeFile(path, script, { mode: 0o755 });
  return {
    path: Promise.resolve(path),
    starts: async () => (await readFile(starts, 'utf8')).trim().split('\n').length,
  };
};

test('a Chromium that crashes at its start is started again', async () => {
  const report = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { path, starts } = await crashing(1);
  const browser = await startBrowser(path);
  onTestFinished(() => browser.close());
  expect(browser.isConnected()).toBe(true);
  expect(await starts()).toBe(2);
  expect(report).toHaveBeenCalledOnce();
});

test('one that crashes at each start is a failure', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { path, starts } = await crashing(Number.MAX_SAFE_INTEGER);
  await expect(startBrowser(path)).rejects.toThrow('SIGSEGV');
  expect(await starts()).toBe(3);
});

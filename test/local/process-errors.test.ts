import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('a process whose output has no reader reports an uncaught error once, and ends on SIGTERM', async () => {
  const child = fork(join(import.meta.dirname, 'fixtures/uncaught-errors.ts'), {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  await once(child, 'message');
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  child.send('write and throw');
  expect(await once(child, 'message')).toEqual([1, undefined]);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { spawnService } from '../support/kill.ts';
import { tempDir } from '../support/local-stack.ts';
import { portForLater } from '../support/ports.ts';

/** Each is logged to standard output. */
const refusedSignIn = async (url: string): Promise<number> => {
  const body = JSON.stringify({ token: 'unknown' });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/sessions?env=test`, { method: 'POST', headers, body })).status;
};

test('npm start without a reader of its output still answers, and ends on SIGTERM', async () => {
  const port = await portForLater();
  const child = await spawnService({
    PATH: process.env.PATH,
    DATA_DIR: join(await tempDir(), 'data'),
    PORT: String(port),
    SMPP_PORT: 'off',
    SMPP_CARRIER_PORT: 'off',
    LOG_TO: 'stdout',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  const statuses: number[] = [];
  for (let nth = 0; nth < 3; nth++) statuses.push(await refusedSignIn(`http://127.0.0.1:${port}`));
  expect(statuses).toEqual([401, 401, 401]);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

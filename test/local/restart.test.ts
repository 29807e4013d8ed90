import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, expect, it, vi } from 'vitest';
import { CannotStart } from '../../infra/local/cannot-start.ts';
import { DataDirInUse, processIdentity } from '../../infra/local/lock.ts';
import { startTestStack, tempDir } from '../support/local-stack.ts';
import { fixtureStack } from './fixtures/operations.ts';

// Real starts and stops, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const running: ChildProcess[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
/** A data directory with room beside it for what is built. */
const newDataDir = async (): Promise<string> => {
  const folder = await tempDir();
  folders.push(folder);
  return join(folder, 'data');
};

/** Starts a real process that serves the fixtures; answers once it is up. */
const serve = async (dataDir: string): Promise<{ child: ChildProcess; url: string; orphans: number[] }> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fixtures/serve.ts'), dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.pipe(process.stderr, { end: false });
  running.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, ...JSON.parse(String(line)) };
};
const put = async (url: string, id: string, body: string) =>
  expect((await fetch(`${url}/rows/${id}`, { method: 'PUT', body })).status).toBe(204);
const get = async (url: string, id: string) => (await fetch(`${url}/rows/${id}`)).text();
const enginePid = (dataDir: string): number =>
  JSON.parse(readFileSync(join(dataDir, 'owner.json'), 'utf8')).children[0].pid;

it('refuses a data directory that another start uses, and says whose it is', async () => {
  const dataDir = await newDataDir();
  const localStack = await startTestStack({ ...fixtureStack(`${dataDir}-dist`), dataDir });
  const second = startTestStack({ ...fixtureStack(`${dataDir}-dist`), dataDir });
  await expect(second).rejects.toThrow(DataDirInUse);
  await expect(second).rejects.toThrow(new RegExp(`process ${process.pid} at ${localStack.url}.*DATA_DIR`));
  await localStack.close();
});

it.each([
  [{ dataDir: '/dev/null/data' }, /data directory \/dev\/null\/data .*DATA_DIR/],
  [{ host: '203.0.113.1' }, /203\.0\.113\.1 .*HOST/],
])('says what to change, without a stack, when it cannot start with %j', async (options, words) => {
  const dataDir = await newDataDir();
  const start = startTestStack({ ...fixtureStack(`${dataDir}-dist`), dataDir, background: false, ...options });
  await expect(start).rejects.toThrow(CannotStart);
  await expect(start).rejects.toThrow(words);
});

it('keeps rows and queued messages over a stop and a second start', async () => {
  const dataDir = await newDataDir();
  const options = { ...fixtureStack(`${dataDir}-dist`), dataDir, background: false };
  const first = await startTestStack(options);
  await put(first.url, '1', 'kept');
  const sent = { QueueUrl: first.queues.live.events?.url, MessageBody: 'queued' };
  await new SQSClient({ endpoint: first.sqsEndpoint }).send(new SendMessageCommand(sent));
  await first.stop();

  const second = await startTestStack(options);
  expect(await get(second.url, '1')).toBe('kept');
  const receive = new ReceiveMessageCommand({ QueueUrl: second.queues.live.events?.url });
  const { Messages } = await new SQSClient({ endpoint: second.sqsEndpoint }).send(receive);
  expect(Messages?.[0]?.Body).toBe('queued');
  await second.close();
});

it('loses nothing stored to kill -9, and stops the engine that the killed process left behind', async () => {
  const dataDir = await newDataDir();
  const first = await serve(dataDir);
  await put(first.url, '1', 'before the kill');
  const orphan = enginePid(dataDir);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  expect(processIdentity(orphan)).toBeDefined();

  const second = await serve(dataDir);
  expect(second.orphans).toEqual([orphan]);
  expect(processIdentity(orphan)).toBeUndefined();
  expect(await get(second.url, '1')).toBe('before the kill');

  const engine = enginePid(dataDir);
  second.child.kill('SIGTERM');
  expect(await once(second.child, 'exit')).toEqual([0, null]);
  expect(processIdentity(engine)).toBeUndefined();
});

it('starts the table engine again when it ends by itself', async () => {
  const dataDir = await newDataDir();
  const localStack = await startTestStack({ ...fixtureStack(`${dataDir}-dist`), dataDir, background: false });
  await put(localStack.url, '1', 'still here');
  const engine = enginePid(dataDir);
  process.kill(engine, 'SIGKILL');
  await expect.poll(() => get(localStack.url, '1').catch(() => ''), { timeout: 5_000 }).toBe('still here');
  expect(enginePid(dataDir)).not.toBe(engine);
  await localStack.close();
});

it('finishes the requests in flight before it stops', async () => {
  const dataDir = await newDataDir();
  const localStack = await startTestStack({ ...fixtureStack(`${dataDir}-dist`), dataDir, background: false });
  await fetch(`${localStack.url}/faulty`);
  const inFlight = fetch(`${localStack.url}/faulty?how=pause`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closing = localStack.close();
  expect((await inFlight).status).toBe(200);
  await closing;
  await expect(fetch(`${localStack.url}/faulty`)).rejects.toThrow();
});

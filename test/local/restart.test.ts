import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, expect, it, vi } from 'vitest';
import { CannotStart } from '../../infra/local/cannot-start.ts';
import type { LocalStackOptions } from '../../infra/local/local-stack.ts';
import { DataDirInUse, processIdentity } from '../../infra/local/lock.ts';
import { HEAP_FLAGS } from '../support/heap-flags.ts';
import { startTestStack, tempDir } from '../support/local-stack.ts';
import { PATIENCE } from '../support/patience.ts';
import { fixtureStack } from './fixtures/operations.ts';

// Real starts and stops, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 });

const running: ChildProcess[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
/** A data directory; the build goes into a folder beside it. */
const newDataDir = async (): Promise<string> => {
  const folder = await tempDir();
  folders.push(folder);
  return join(folder, 'data');
};

/** Starts the fixture functions in this process. */
const start = (dataDir: string, options: Partial<LocalStackOptions> = {}) =>
  startTestStack({ ...fixtureStack(`${dataDir}-dist`), dataDir, background: false, ...options });

/** Starts a process that serves the fixture functions; answers once it is ready. */
const serve = async (dataDir: string): Promise<{ child: ChildProcess; url: string; orphans: number[] }> => {
  const child = spawn(process.execPath, [...HEAP_FLAGS, join(import.meta.dirname, 'fixtures/serve.ts'), dataDir], {
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

it('refuses a data directory that is in use, and says by which process', async () => {
  const dataDir = await newDataDir();
  const localStack = await start(dataDir, { background: true });
  const second = start(dataDir);
  await expect(second).rejects.toThrow(DataDirInUse);
  await expect(second).rejects.toThrow(new RegExp(`process ${process.pid} at ${localStack.url}.*DATA_DIR`));
  await localStack.close();
});

it.each([
  [{ dataDir: '/dev/null/data' }, /data directory \/dev\/null\/data .*DATA_DIR/],
  [{ host: '203.0.113.1' }, /203\.0\.113\.1 .*HOST/],
])('explains without a stack trace why it cannot start with %j', async (options, message) => {
  const dataDir = await newDataDir();
  const starting = start(dataDir, options);
  await expect(starting).rejects.toThrow(CannotStart);
  await expect(starting).rejects.toThrow(message);
});

it('does not listen for SMPP if its standard port is taken, and explains a taken port that was requested', async () => {
  const dataDir = await newDataDir();
  const other = createServer();
  // An existing listener occupies the port as well.
  await once(other.listen(2775, '127.0.0.1'), 'listening').catch(() => undefined);
  const localStack = await start(dataDir, { smppPort: 'standard' });
  expect(localStack.smppPort).toBeUndefined();
  await localStack.close();
  const starting = start(dataDir, { smppPort: 2775 });
  await expect(starting).rejects.toThrow(CannotStart);
  await expect(starting).rejects.toThrow(/Port 2775 .*SMPP_PORT/);
  other.close();
});

it('keeps rows and queued messages across a restart', async () => {
  const dataDir = await newDataDir();
  const first = await start(dataDir);
  await put(first.url, '1', 'kept');
  const sent = { QueueUrl: first.queues.live.events?.url, MessageBody: 'queued' };
  await new SQSClient({ endpoint: first.sqsEndpoint }).send(new SendMessageCommand(sent));
  await first.stop();

  const second = await start(dataDir);
  expect(await get(second.url, '1')).toBe('kept');
  const receive = new ReceiveMessageCommand({ QueueUrl: second.queues.live.events?.url });
  const { Messages } = await new SQSClient({ endpoint: second.sqsEndpoint }).send(receive);
  expect(Messages?.[0]?.Body).toBe('queued');
  await second.close();
});

it('loses no rows to kill -9, and its engine ends with the killed process, or with the next start', async () => {
  const dataDir = await newDataDir();
  const first = await serve(dataDir);
  await put(first.url, '1', 'before the kill');
  const orphan = enginePid(dataDir);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  await vi.waitFor(() => expect(processIdentity(orphan)).toBeUndefined(), PATIENCE);

  // An unmonitored engine: the note names another process.
  const left = spawn('sleep', ['600']);
  const note = JSON.parse(readFileSync(join(dataDir, 'owner.json'), 'utf8'));
  const children = [{ pid: left.pid, identity: processIdentity(left.pid ?? 0) }];
  writeFileSync(join(dataDir, 'owner.json'), JSON.stringify({ ...note, children }));
  const second = await serve(dataDir);
  expect(second.orphans).toEqual([left.pid]);
  expect(processIdentity(left.pid ?? 0)).toBeUndefined();
  expect(await get(second.url, '1')).toBe('before the kill');

  const engine = enginePid(dataDir);
  second.child.kill('SIGTERM');
  expect(await once(second.child, 'exit')).toEqual([0, null]);
  expect(processIdentity(engine)).toBeUndefined();
});

it('restarts the table engine when it ends', async () => {
  const dataDir = await newDataDir();
  const localStack = await start(dataDir);
  await put(localStack.url, '1', 'still here');
  const engine = enginePid(dataDir);
  process.kill(engine, 'SIGKILL');
  await expect.poll(() => get(localStack.url, '1').catch(() => ''), PATIENCE).toBe('still here');
  expect(enginePid(dataDir)).not.toBe(engine);
  await localStack.close();
});

it('completes requests in flight before it stops', async () => {
  const dataDir = await newDataDir();
  const localStack = await start(dataDir);
  const started = `${dataDir}-begun`;
  const inFlight = fetch(`${localStack.url}/faulty?how=pause&begun=${encodeURIComponent(started)}`);
  await vi.waitFor(() => expect(existsSync(started)).toBe(true), PATIENCE);
  const closing = localStack.close();
  expect((await inFlight).status).toBe(200);
  await closing;
  await expect(fetch(`${localStack.url}/faulty`)).rejects.toThrow();
});

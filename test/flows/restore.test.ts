import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, expect, test, vi } from 'vitest';
import { keyFileOf } from '../../infra/local/stages.ts';
import { type Answer, apiClient, startMessaging } from '../support/api.ts';
import { HEAP_FLAGS } from '../support/heap-flags.ts';
import { startTestStack, type TestStack, tempDir } from '../support/local-stack.ts';
import { checkMoney, messagesOf } from '../support/money.ts';
import { PATIENCE } from '../support/patience.ts';
import { startInfobipStandIn } from '../support/providers/infobip-stand-in.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { OVER_DYNAMODB_LOCAL } from '../support/table-engine.ts';
import { use } from '../support/use.ts';
import { setUpProvider } from './support.ts';

const PROJECT = join(import.meta.dirname, '../..');
/** A sender has 15 s; a provider that hangs is given up after 11, by when the copy has been made. */
const SETTINGS = { env: { SEND_DEADLINE_SECONDS: '15' }, inMemory: false };
const HANGS_MS = 11_000;
const tablesOf = (dataDir: string) => join(dataDir, 'tables', 'dynamodb.db');

const provider = await use(startInfobipStandIn());
const lost = await startMessaging(SETTINGS);
let restored: TestStack | undefined;
afterAll(async () => {
  await restored?.close();
  await lost.close();
});
await setUpProvider(lost, 'sms', 'infobip', { ...provider.settings, timeoutMs: HANGS_MS, logsLagMs: 1 });

const admin = async (dataDir: string, ...words: string[]) => {
  const env = { ...process.env, DATA_DIR: dataDir };
  const args = [...HEAP_FLAGS, 'infra/operator/main.ts', ...words, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: PROJECT, env });
  return JSON.parse(stdout);
};

/** The tables as they were at one moment, as point-in-time recovery has them; secrets and queues as they are now. */
const restoreInto = async (from: string, snapshot: string): Promise<string> => {
  const dataDir = join(await tempDir(), 'data');
  await mkdir(join(dataDir, 'tables'), { recursive: true });
  await cp(snapshot, tablesOf(dataDir));
  await cp(keyFileOf(from), keyFileOf(dataDir));
  await cp(join(from, 'queues'), join(dataDir, 'queues'), { recursive: true });
  return dataDir;
};

/** Sends from several callers until it is ended; the answers. */
const startTraffic = (send: () => Promise<Answer>) => {
  const answers: Answer[] = [];
  let over = false;
  const callers = [1, 2, 3, 4].map(async () => {
    while (!over) answers.push(await send());
  });
  return {
    answers,
    end: async () => {
      over = true;
      await Promise.all(callers);
    },
  };
};

// The copy is of the embedded engine's file.
test.skipIf(OVER_DYNAMODB_LOCAL)(
  "a table restored to a time during traffic works: sends in flight are resolved by the provider's status, and the money is right",
  { timeout: 240_000 },
  async () => {
    const owner = await lost.tenant({ live: 1_000_000 });
    const { key } = (await owner.live.post('/v2/api-keys', { name: 'Loja', scopes: ['sms:send', 'sms:read'] })).body;
    const traffic = startTraffic(() => owner.live.send({ route: 'otp' }));
    await vi.waitFor(() => expect(traffic.answers.length).toBeGreaterThan(20), PATIENCE);
    const before = provider.requests.length;
    provider.script('accept_and_hang', 'hang');
    // Both are in progress, and the other callers continue.
    await vi.waitFor(() => expect(provider.requests.length).toBeGreaterThan(before + 4), PATIENCE);

    const snapshot = join(await tempDir(), 'snapshot.db');
    await backup(new DatabaseSync(tablesOf(lost.dataDir), { readOnly: true }), snapshot);

    const acceptedThen = provider.messages.length;
    await vi.waitFor(() => expect(provider.messages.length).toBeGreaterThan(acceptedThen + 20), PATIENCE);
    await traffic.end();
    await lost.stop();

    const openHolds = async ({ live }: TestStack['tables']) =>
      (await messagesOf(live, owner.id)).filter(({ hold }) => hold === 'open');
    let inFlight: Awaited<ReturnType<typeof openHolds>> = [];
    restored = await startTestStack({
      ...SETTINGS,
      dispatchSeconds: 1,
      dataDir: await restoreInto(lost.dataDir, snapshot),
      // Before anything is resolved.
      beforeReady: async ({ tables: found }) => {
        inFlight = await openHolds(found);
      },
    });
    const { url, dataDir, tables } = restored;
    expect(inFlight.length).toBeGreaterThanOrEqual(2);
    await vi.waitFor(async () => expect(await openHolds(tables)).toEqual([]), { timeout: 90_000, interval: 500 });

    const messages = await messagesOf(tables.live, owner.id);
    expect(messages.length).toBeLessThan(traffic.answers.length);
    const accepted = new Set(provider.messages.map(({ messageId }) => messageId));
    for (const { id, hold } of messages) expect(hold, id).toBe(accepted.has(id) ? 'captured' : 'released');
    expect(new Set(inFlight.map(({ id }) => accepted.has(id)))).toEqual(new Set([true, false]));
    await checkMoney(tables.live, owner.id);
    expect((await admin(dataDir, 'table', 'verify', '--env', 'live')).items).toMatchObject([
      { organization: owner.id, openHolds: 0 },
    ]);

    // A receipt of a message that the table never heard of is taken, and changes nothing.
    const unknown = provider.messages.find(({ messageId }) => !messages.some(({ id }) => id === messageId));
    if (!unknown) throw new Error('no message was lost');
    const receipt = provider.receipt(unknown, 'delivered');
    const moved = { ...receipt, url: receipt.url.replace(lost.url, url) };
    expect((await deliver(moved)).status).toBe(200);

    // Queues that knew of later rows have no dead letters, and the service sends.
    expect((await apiClient(url, key).send({ route: 'otp' })).status).toBe(201);
    const queues: { deadLetters: number }[] = (await admin(dataDir, 'queue', 'list', '--env', 'live')).items;
    expect(queues.length).toBeGreaterThan(3);
    expect(queues.filter(({ deadLetters }) => deadLetters > 0)).toEqual([]);
    await checkMoney(tables.live, owner.id);
  },
);

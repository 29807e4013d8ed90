import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { freePort, startDynoxide } from '../infra/local/engines.ts';
import { ensureTable } from '../infra/local/resources.ts';
import { AWS_DEFAULTS, defaultAwsSettings, STAGES, type Stage, tableName } from '../infra/local/stages.ts';
import { type CreatedOrganization, createOrganization } from '../infra/provisioning/organizations.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import { Table } from '../shared/storage/client/table.ts';
import { creditWallet } from '../shared/storage/wallet/wallet.ts';
import { apiClient } from '../test/support/api.ts';
import { startCountingProxy } from './counting-proxy.ts';
import type { LoadPlan, LoadResult } from './load.ts';

export const PROJECT = join(import.meta.dirname, '..');
defaultAwsSettings(process.env);

/** More than any run can spend. */
const CREDIT = 1_000_000_000_000;

/** A measured process; `stop` also removes what it stored. */
export interface Measured {
  readonly port: number;
  /** The process that takes the requests, and that of its engine. */
  readonly pid: number;
  readonly enginePid: number;
  stop(): Promise<void>;
}

/** An engine, persistent unless it is to be filled with more than a file takes in minutes, with a folder of its own. */
export const startStore = async ({ inMemory = false } = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'messaging-bench-'));
  let pid = 0;
  const onSpawn = (spawned: number) => {
    pid = spawned;
  };
  const engine = await startDynoxide({
    ...(inMemory ? {} : { dbPath: join(folder, 'tables', 'dynamodb.db') }),
    onSpawn,
  });
  return {
    folder,
    endpoint: engine.endpoint,
    pid,
    async stop() {
      await engine.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
export type Store = Awaited<ReturnType<typeof startStore>>;

/** Splits a list into groups of at most `size`. */
export const inGroups = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

/** Terminates a child process (SIGTERM) and waits for its exit. */
export const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
};

const ENTRIES = { all: 'infra/local/start.ts', api: 'bench/api.ts' } as const;

export interface StackProcessOptions {
  readonly dataDir: string;
  readonly dynamodbEndpoint: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `all` as `npm start` does; `api` without consumers and dispatcher. */
  readonly runs?: keyof typeof ENTRIES;
  /** Node options, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
}

/** Starts `npm start`, or a part of it, in its own process and waits until it is ready. */
export const startStackProcess = async (options: StackProcessOptions) => {
  const env = {
    ...process.env,
    ...AWS_DEFAULTS,
    PORT: '0',
    DATA_DIR: options.dataDir,
    DYNAMODB_ENDPOINT: options.dynamodbEndpoint,
    // The embedded engine's stream slows each write down by those before it, which DynamoDB's does not.
    METRICS: 'off',
    ...options.env,
  };
  const args = [...(options.nodeOptions ?? []), join(PROJECT, ENTRIES[options.runs ?? 'all'])];
  // Piped instead of inherited: a service that outlives its starter must not hold the starter's own pipe open.
  const child = spawn(process.execPath, args, { env, cwd: options.dataDir, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.on('data', (chunk: Buffer) => process.stderr.write(chunk));
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^Ready at http:\/\/[^:]+:(\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    child.stdout.resume();
    return { port: Number(port), pid: child.pid ?? 0, stop: () => ended(child) };
  }
  throw new Error('The local stack ended before it was ready.');
};

/** The tables of both stages at an endpoint. */
export const tablesAt = (endpoint: string): Record<Stage, Table> => {
  const client = tableClient(endpoint);
  return Object.fromEntries(STAGES.map((stage) => [stage, new Table(client, tableName(stage))])) as Record<
    Stage,
    Table
  >;
};

/** An organization with keys in both stages, and wallets that no run empties. */
export const fundedOrganization = async (endpoint: string): Promise<CreatedOrganization> => {
  const tables = tablesAt(endpoint);
  const organization = await createOrganization(tables, { name: 'Bench' });
  for (const env of STAGES) {
    const credit = {
      organizationId: organization.organizationId,
      env,
      coins: CREDIT,
      description: 'Bench',
      now: Date.now(),
    };
    await creditWallet(tables[env], credit);
  }
  return organization;
};

/**
 * The service in its own process, on its own engine, with a funded organization. The calls of a `counted` one pass the counting proxy; of
 * any other it counts none.
 */
export const startService = async ({
  counted = false,
  inMemory = false,
  ...options
}: { readonly counted?: boolean; readonly inMemory?: boolean } & Pick<StackProcessOptions, 'env' | 'runs'> = {}) => {
  const store = await startStore({ inMemory });
  const proxy = await startCountingProxy(store.endpoint);
  const dynamodbEndpoint = counted ? proxy.endpoint : store.endpoint;
  const running = await startStackProcess({ dataDir: store.folder, dynamodbEndpoint, ...options });
  const clientOf = (key: string) => apiClient(`http://127.0.0.1:${running.port}`, key);
  const { organizationId, keys } = await fundedOrganization(store.endpoint);
  return {
    store,
    proxy,
    running,
    organizationId,
    keys,
    /** The table of the test stage, bypassing the proxy. */
    table: tablesAt(store.endpoint).test,
    clientOf,
    client: clientOf(keys.test),
    async stop() {
      await running.stop();
      await proxy.close();
      await store.stop();
    },
  };
};
export type Service = Awaited<ReturnType<typeof startService>>;

/** Starts the floor in its own process, with an engine and a table of its own. */
export const startFloor = async (outcome = false): Promise<Measured> => {
  const store = await startStore();
  await ensureTable(tableClient(store.endpoint), 'floor');
  const port = await freePort();
  const child = fork(
    join(import.meta.dirname, 'floor.ts'),
    [store.endpoint, 'floor', String(port), ...(outcome ? ['outcome'] : [])],
    {
      env: { ...process.env, ...AWS_DEFAULTS },
    },
  );
  await once(child, 'message');
  return { port, pid: child.pid ?? 0, enginePid: store.pid, stop: () => ended(child).then(store.stop) };
};

/** Clock ticks per second of process times in /proc. */
const TICKS = 100;

/** CPU time of a process with all its threads, in ms; NaN if the system does not report it. */
export const cpuMs = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  } catch {
    return Number.NaN;
  }
};

/** Memory of a process that is in RAM, in bytes; NaN if the system does not report it. */
export const residentBytes = (pid: number): number => {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes) * 1024;
  } catch {
    return Number.NaN;
  }
};

/** Runs load in a worker thread, so that this thread's work does not distort it. */
export const runLoadInThread = async (plan: LoadPlan): Promise<LoadResult> => {
  const worker = new Worker(new URL('./load.ts', import.meta.url), { workerData: plan });
  const [result] = (await once(worker, 'message')) as [LoadResult];
  await worker.terminate();
  return result;
};

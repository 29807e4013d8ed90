import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startFauxqs } from '../infra/local/engines.ts';
import { keyFileOf, STAGES } from '../infra/local/stages.ts';
import { startTableLaws } from '../infra/local/table-laws/proxy.ts';
import type { LawSettings } from '../infra/local/table-laws/settings.ts';
import { rootKeysOf } from '../infra/operator/root-keys.ts';
import { localKeyProvider } from '../shared/providers/keys/local-key-provider.ts';
import { startStackProcess, startStore, tablesAt } from './processes.ts';

/** Processes of a kind, as Lambda would start them; each has its own caches, clocks of breakers and connections. */
export const PROCESSES = Number(process.env.PROCESSES ?? 20);
/** Processes that start at once: more would wait for each other's processor. */
const CONCURRENCY = 4;
/** A table that has grown with its traffic: what is left are the limits of each partition key. */
export const GROWN = { read: Number.POSITIVE_INFINITY, write: Number.POSITIVE_INFINITY };

const LOCALHOST_NAMES = new URL('./localhost-names.ts', import.meta.url).href;

export interface ClusterOptions {
  /** Processes that answer requests, and processes with consumers and dispatcher. */
  readonly apis: number;
  readonly workers?: number;
  readonly laws?: Partial<LawSettings>;
  readonly env?: Readonly<Record<string, string>>;
  /** Where the queues are, instead of an engine of the cluster's own. */
  readonly sqsEndpoint?: string;
}

/**
 * Many processes of the service on one table behind DynamoDB's laws and on one queue engine. They share nothing else but the master key, as
 * Lambda's environments share the key service.
 */
export const startCluster = async ({
  apis,
  workers = 0,
  laws: settings = { table: GROWN },
  env,
  sqsEndpoint,
}: ClusterOptions) => {
  const store = await startStore();
  const laws = await startTableLaws(store.endpoint, settings);
  const queue = sqsEndpoint === undefined ? await startFauxqs() : undefined;
  const start = async (name: string, runs: 'all' | 'api') => {
    const dataDir = join(store.folder, name);
    await mkdir(dataDir, { recursive: true });
    if (running.length > 0) await copyFile(keyFileOf(firstFolder), keyFileOf(dataDir));
    return startStackProcess({
      dataDir,
      dynamodbEndpoint: laws.endpoint,
      runs,
      nodeOptions: ['--import', LOCALHOST_NAMES],
      env: { ...env, SQS_ENDPOINT: sqsEndpoint ?? queue?.endpoint ?? '' },
    });
  };
  const running: Awaited<ReturnType<typeof start>>[] = [];
  const firstFolder = join(store.folder, 'api-0');
  running.push(await start('api-0', 'api'));
  const wrapping = localKeyProvider(keyFileOf(firstFolder));
  const { createRootKeys } = rootKeysOf(tablesAt(store.endpoint), async () => () => wrapping);
  for (const stage of STAGES) await createRootKeys(stage);
  return {
    store,
    laws,
    /** The operator's way to the table, past its laws, and the folder that holds the master key. */
    folder: firstFolder,
    /** The ports that take requests so far. */
    ports: () => running.slice(0, apis).map(({ port }) => port),
    /** The processes with consumers and dispatcher, once all have started. */
    workers: () => running.slice(apis).map(({ pid }) => pid),
    /** Starts the others: once what they read at their start is in the table. Answers the ports that take requests. */
    async startOthers(): Promise<number[]> {
      const names = [
        ...Array.from({ length: apis - 1 }, (_, at) => [`api-${at + 1}`, 'api'] as const),
        ...Array.from({ length: workers }, (_, at) => [`worker-${at}`, 'all'] as const),
      ];
      for (let at = 0; at < names.length; at += CONCURRENCY)
        running.push(
          ...(await Promise.all(names.slice(at, at + CONCURRENCY).map(([name, runs]) => start(name, runs)))),
        );
      return running.slice(0, apis).map(({ port }) => port);
    },
    async stop() {
      await Promise.all(running.map((each) => each.stop()));
      await queue?.stop();
      await laws.close();
      await store.stop();
    },
  };
};
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

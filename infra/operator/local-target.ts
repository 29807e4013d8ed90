import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/core/actor.ts';
import { orUndefined } from '../../shared/domain/core/or-undefined.ts';
import { folderArchiveBucket } from '../../shared/providers/archive/folder-bucket.ts';
import type { QueuePair } from '../../shared/queues/dead-letters.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { startBackends } from '../local/backends.ts';
import { DataDirInUse, type DataDirLock, lockDataDir } from '../local/lock.ts';
import { archiveFolder, defaultAwsSettings, keyFileOf } from '../local/stages.ts';
import { rootKeysOf } from './root-keys.ts';
import type { Target } from './target.ts';

/** The note of a running local stack in its data directory (`platform.json`): the ports of its engines. */
const runningStack = z.object({
  pid: z.int(),
  dynamodbEndpoint: z.url(),
  sqsEndpoint: z.url(),
  tables: z.record(z.enum(ENVIRONMENTS), z.string()),
  queueUrls: z.record(z.enum(ENVIRONMENTS), z.record(z.string(), z.url())),
});
type RunningStack = z.output<typeof runningStack>;

const readJson = (file: string): unknown => orUndefined(() => JSON.parse(readFileSync(file, 'utf8')));

const answers = (endpoint: string): Promise<boolean> =>
  fetch(endpoint, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    () => false,
  );

/**
 * The local stack that holds the directory's lock, once its engines listen. Ignores a stale note: its pid must be the lock owner's, and
 * the engine must answer.
 */
const findRunningStack = async (dataDir: string): Promise<RunningStack | undefined> => {
  const note = runningStack.safeParse(readJson(join(dataDir, 'platform.json')));
  const owner = z.object({ pid: z.int() }).safeParse(readJson(join(dataDir, 'owner.json')));
  if (!note.success || !owner.success || owner.data.pid !== note.data.pid) return undefined;
  return (await answers(note.data.dynamodbEndpoint)) ? note.data : undefined;
};

/** How long a command waits for a local stack that is starting, or for another command to finish, in ms. */
const LOCK_WAIT_MS = 15_000;

/**
 * Locks the data directory, or finds the local stack that holds the lock. The lock decides, not the note, which may have outlived its
 * writer. Throws DataDirInUse when the owner publishes no endpoints within LOCK_WAIT_MS.
 */
const lockOrFindRunning = async (dataDir: string): Promise<DataDirLock | RunningStack> => {
  for (const deadline = Date.now() + LOCK_WAIT_MS; ; await pause(100)) {
    try {
      return lockDataDir(dataDir);
    } catch (error) {
      if (!(error instanceof DataDirInUse)) throw error;
      const running = await findRunningStack(dataDir);
      if (running) return running;
      if (Date.now() > deadline) throw error;
    }
  }
};

/** The differences between the engines of a running local stack and those of the command itself. */
interface LocalEngines extends Pick<Target, 'tables' | 'sqs' | 'close'> {
  readonly pairOf: (env: Environment, name: string) => QueuePair | undefined;
}

const localTarget = (dataDir: string, { tables, sqs, close, pairOf }: LocalEngines): Target => ({
  tables,
  sqs,
  async queue(env, name) {
    const pair = pairOf(env, name);
    if (!pair) throw new Error(`The ${env} stage has no queue ${name}.`);
    return pair;
  },
  supportsMoveTasks: false,
  ...rootKeysOf(tables, async () => {
    const { localKeyProvider } = await import('../../shared/providers/keys/local-key-provider.ts');
    const provider = localKeyProvider(keyFileOf(dataDir));
    return () => provider;
  }),
  archive: (env) => folderArchiveBucket(archiveFolder(dataDir, env)),
  close,
});

/** Uses the engines of a running local stack. */
const openRunningStack = (
  dataDir: string,
  { dynamodbEndpoint, sqsEndpoint, tables: names, queueUrls }: RunningStack,
): Target => {
  const client = tableClient(dynamodbEndpoint);
  const sqs = new SQSClient({ endpoint: sqsEndpoint });
  return localTarget(dataDir, {
    tables: { live: new Table(client, names.live), test: new Table(client, names.test) },
    sqs,
    pairOf: (env, name) => {
      const url = queueUrls[env][name];
      return url ? { url, deadLetterUrl: `${url}-dlq` } : undefined;
    },
    close: async () => {
      client.destroy();
      sqs.destroy();
    },
  });
};

/** Starts engines on the data directory for as long as the command runs. */
const openOwnEngines = async (dataDir: string, lock: DataDirLock): Promise<Target> => {
  try {
    await lock.stopOrphans();
    const { tables, sqs, queues, stop } = await startBackends({
      dataDir,
      dynamodbEndpoint: process.env.DYNAMODB_ENDPOINT || undefined,
      sqsEndpoint: process.env.SQS_ENDPOINT || undefined,
      onProcess: (pid) => lock.note({ childPids: [pid] }),
      onFault: (what, _requestId, error) =>
        process.stderr.write(`${what}: ${error instanceof Error ? error.message : String(error)}\n`),
    });
    const close = async () => {
      await stop();
      lock.release();
    };
    return localTarget(dataDir, { tables, sqs, pairOf: (env, name) => queues[env][name], close });
  } catch (error) {
    lock.release();
    throw error;
  }
};

/** Opens a local data directory, through the local stack that runs on it if there is one. */
export const openLocal = async (folder: string): Promise<Target> => {
  defaultAwsSettings(process.env);
  const dataDir = resolve(folder);
  const lockOrRunning = await lockOrFindRunning(dataDir);
  return 'release' in lockOrRunning ? openOwnEngines(dataDir, lockOrRunning) : openRunningStack(dataDir, lockOrRunning);
};

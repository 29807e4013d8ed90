import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/actor.ts';
import { tableClient } from '../../shared/storage/client.ts';
import { Table } from '../../shared/storage/table.ts';
import { startBackends } from '../local/backends.ts';
import { DataDirInUse, type DataDirLock, lockDataDir } from '../local/lock.ts';
import { defaultAwsSettings, keyFileOf } from '../local/stages.ts';
import type { Tables } from './organizations.ts';
import type { Target } from './targets.ts';

/** What a running platform notes in its data directory, so that others work with the engines that it has open. */
const runningPlatform = z.object({
  pid: z.int(),
  dynamodbEndpoint: z.url(),
  sqsEndpoint: z.url(),
  tables: z.record(z.enum(ENVIRONMENTS), z.string()),
  queueUrls: z.record(z.enum(ENVIRONMENTS), z.record(z.string(), z.url())),
});
type RunningPlatform = z.output<typeof runningPlatform>;

const readJson = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

const answers = (endpoint: string): Promise<boolean> =>
  fetch(endpoint, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    () => false,
  );

/** The platform that holds the directory's lock, once its engines are up. A note of an earlier one is no answer, not even with the same pid. */
const notedPlatform = async (dataDir: string): Promise<RunningPlatform | undefined> => {
  const note = runningPlatform.safeParse(readJson(join(dataDir, 'platform.json')));
  const owner = z.object({ pid: z.int() }).safeParse(readJson(join(dataDir, 'owner.json')));
  if (!note.success || !owner.success || owner.data.pid !== note.data.pid) return undefined;
  return (await answers(note.data.dynamodbEndpoint)) ? note.data : undefined;
};

/** How long a command waits for a platform that is starting, or for another command, in ms. */
const PATIENCE_MS = 15_000;

/**
 * Takes the directory when nobody has it, else finds the platform that does. The lock decides, not the note: a note may have
 * outlived its writer. Throws DataDirInUse when the owner does not say where its engines are.
 */
const enter = async (dataDir: string): Promise<DataDirLock | RunningPlatform> => {
  for (const deadline = Date.now() + PATIENCE_MS; ; await pause(100)) {
    try {
      return lockDataDir(dataDir);
    } catch (error) {
      if (!(error instanceof DataDirInUse)) throw error;
      const platform = await notedPlatform(dataDir);
      if (platform) return platform;
      if (Date.now() > deadline) throw error;
    }
  }
};

const vaultOpener = (tables: Tables, dataDir: string) => async (env: Environment) => {
  const { openVault } = await import('../../shared/storage/root-key.ts');
  const { localKeyProvider } = await import('../../shared/providers/keys/local-key-provider.ts');
  return openVault(tables[env], localKeyProvider(keyFileOf(dataDir)));
};

/** Works with the engines of a platform that is running. */
const besidePlatform = (
  dataDir: string,
  { dynamodbEndpoint, sqsEndpoint, tables: names, queueUrls }: RunningPlatform,
): Target => {
  const client = tableClient(dynamodbEndpoint);
  const sqs = new SQSClient({ endpoint: sqsEndpoint });
  const tables = { live: new Table(client, names.live), test: new Table(client, names.test) };
  const queue = async (env: Environment, name: string) => {
    const url = queueUrls[env][name];
    if (!url) throw new Error(`The ${env} stage has no queue ${name}.`);
    return { url, deadLetterUrl: `${url}-dlq` };
  };
  const close = async () => {
    client.destroy();
    sqs.destroy();
  };
  return { tables, sqs, queue, movesMessages: false, vault: vaultOpener(tables, dataDir), close };
};

/** Starts the engines on the directory for as long as the command runs. */
const onOwnEngines = async (dataDir: string, lock: DataDirLock): Promise<Target> => {
  try {
    await lock.stopOrphans();
    const backends = await startBackends({
      dataDir,
      dynamodbEndpoint: process.env.DYNAMODB_ENDPOINT || undefined,
      sqsEndpoint: process.env.SQS_ENDPOINT || undefined,
      onProcess: (pid) => lock.note({ childPids: [pid] }),
      onFault: (what, _requestId, error) =>
        process.stderr.write(`${what}: ${error instanceof Error ? error.message : String(error)}\n`),
    });
    const { tables, sqs } = backends;
    const queue = async (env: Environment, name: string) => {
      const pair = backends.queues[env][name];
      if (!pair) throw new Error(`The ${env} stage has no queue ${name}.`);
      return pair;
    };
    const close = async () => {
      await backends.stop();
      lock.release();
    };
    return { tables, sqs, queue, movesMessages: false, vault: vaultOpener(tables, dataDir), close };
  } catch (error) {
    lock.release();
    throw error;
  }
};

/** A data directory of this machine: beside the platform that runs on it, or alone with it. */
export const openLocal = async (folder: string): Promise<Target> => {
  defaultAwsSettings(process.env);
  const dataDir = resolve(folder);
  const entered = await enter(dataDir);
  return 'release' in entered ? onOwnEngines(dataDir, entered) : besidePlatform(dataDir, entered);
};

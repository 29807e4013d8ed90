import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { queueClient } from '../../shared/queues/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { type Engine, startDynoxide, startFauxqs } from './engines.ts';
import { startObjectStore } from './object-store.ts';
import { ensureQueues, ensureTable, type StageQueue } from './resources.ts';
import { STAGES, type Stage, tableName } from './stages.ts';
import { startTableLaws, type TableLaws } from './table-laws/proxy.ts';
import type { LawSettings } from './table-laws/settings.ts';

/** The local engines that stand in for DynamoDB, SQS and S3, with the tables and queues of both stages. */
export interface Backends {
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  readonly s3Endpoint: string;
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly tables: Readonly<Record<Stage, Table>>;
  readonly queues: Readonly<Record<Stage, Readonly<Record<string, StageQueue>>>>;
  stop(): Promise<void>;
}

/** The engines to use, and callbacks about the embedded ones. */
export interface BackendOptions {
  readonly dataDir: string;
  /** Keeps tables and queues in memory instead of in `dataDir`: they end with the engines. */
  readonly inMemory?: boolean | undefined;
  /** Engines to use instead of the embedded ones. */
  readonly dynamodbEndpoint?: string | undefined;
  readonly sqsEndpoint?: string | undefined;
  /** Origins whose pages may upload files to the buckets. */
  readonly consoleOrigins?: readonly string[] | undefined;
  /** Puts DynamoDB's laws before the table: limits, conflicts, late indexes. */
  readonly tableLaws?: Partial<LawSettings> | undefined;
  /** Called as soon as an engine's process exists, so that a later start can stop it if this process is killed. */
  readonly onProcess: (pid: number) => void;
  readonly onFault: (what: string, requestId: string, error: unknown) => void;
}

const RESTART_AFTER_MS = 200;

type Start = (again: { port?: number; onCrash: () => void }) => Promise<Engine>;

/** Restarts an engine that ended by itself, on the same port. */
const supervise = async (name: string, start: Start, { onFault }: BackendOptions) => {
  let stopping = false;
  const restart = async (): Promise<void> => {
    onFault(name, 'engine', new Error(`${name} exited; restarting it`));
    const port = Number(new URL(engine.endpoint).port);
    while (!stopping) {
      await pause(RESTART_AFTER_MS);
      try {
        engine = await start({ port, onCrash });
        return stopping ? await engine.stop() : undefined;
      } catch (error) {
        onFault(name, 'engine', error);
      }
    }
  };
  const onCrash = () => void restart();
  let engine = await start({ onCrash });
  return {
    endpoint: engine.endpoint,
    stop: () => {
      stopping = true;
      return engine.stop();
    },
  };
};

const forStages = async <T>(make: (stage: Stage) => Promise<T>): Promise<Record<Stage, T>> => {
  const made = await Promise.all(STAGES.map(async (stage) => [stage, await make(stage)] as const));
  return Object.fromEntries(made) as Record<Stage, T>;
};

/** The file of the embedded table engine. */
export const tableFileOf = (dataDir: string): string => join(dataDir, 'tables', 'dynamodb.db');

/** Starts the embedded engines and creates the stages' tables and queues. */
export const startBackends = async (options: BackendOptions): Promise<Backends> => {
  const { dataDir, inMemory, onProcess } = options;
  const tableEngine = async () => {
    if (options.dynamodbEndpoint) return undefined;
    const kept = inMemory ? {} : { dbPath: tableFileOf(dataDir) };
    const files = { ...kept, logFile: join(dataDir, 'dynamodb.log') };
    return supervise('dynoxide', (again) => startDynoxide({ ...files, ...again, onSpawn: onProcess }), options);
  };
  const queueEngine = async () => {
    if (options.sqsEndpoint) return undefined;
    const files = inMemory ? {} : { dataDir: join(dataDir, 'queues') };
    return supervise('fauxqs', (again) => startFauxqs({ ...files, ...again }), options);
  };
  const objectEngine = () => startObjectStore(join(dataDir, 'objects'), options.consoleOrigins);
  const started = await Promise.allSettled([tableEngine(), queueEngine(), objectEngine()]);
  const engines = started.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
  let laws: TableLaws | undefined;
  const stop = async () => {
    await laws?.close();
    for (const engine of engines) await engine?.stop();
  };
  try {
    for (const result of started) if (result.status === 'rejected') throw result.reason;
    const tableEndpoint = options.dynamodbEndpoint ?? engines[0]?.endpoint ?? '';
    if (options.tableLaws) laws = await startTableLaws(tableEndpoint, options.tableLaws);
    const dynamodbEndpoint = laws?.endpoint ?? tableEndpoint;
    const sqsEndpoint = options.sqsEndpoint ?? engines[1]?.endpoint ?? '';
    return {
      ...(await connectBackends({ dynamodbEndpoint, sqsEndpoint, embeddedQueues: !options.sqsEndpoint })),
      s3Endpoint: engines[2]?.endpoint ?? '',
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

interface Endpoints {
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  /** Whether SQS is the embedded engine, whose port changes with every start. */
  readonly embeddedQueues: boolean;
}

/** Connects to running engines and creates the stages' tables and queues. */
const connectBackends = async ({ dynamodbEndpoint, sqsEndpoint, embeddedQueues }: Endpoints) => {
  const client = new DynamoDBClient({ endpoint: dynamodbEndpoint });
  // It copies the input and output of each call for a log that is not used.
  client.middlewareStack.remove('loggerMiddleware');
  const sqs = queueClient(sqsEndpoint, { receives: true });
  const [tables, queues] = await Promise.all([
    forStages(async (stage) => {
      await ensureTable(client, tableName(stage));
      return new Table(client, tableName(stage));
    }),
    forStages((stage) => ensureQueues(sqs, stage, embeddedQueues ? sqsEndpoint : undefined)),
  ]);
  return { dynamodbEndpoint, sqsEndpoint, dynamodb: client, sqs, tables, queues };
};

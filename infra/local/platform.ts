import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { Table } from '../../shared/storage/table.ts';
import { buildFunctions, type Manifest } from '../build/build.ts';
import { type Backends, startBackends } from './backends.ts';
import { CannotStart } from './cannot-start.ts';
import { makeGateway } from './gateway.ts';
import { type DataDirLock, lockDataDir } from './lock.ts';
import { type LogSink, openLogSink } from './log-sink.ts';
import { queueUrls, type StageQueue } from './resources.ts';
import type { Routed } from './router.ts';
import { type ServedStages, startStages } from './serve.ts';
import { defaultAwsSettings, STAGES, type Stage, tableName } from './stages.ts';

const PROJECT = join(import.meta.dirname, '../..');

export interface PlatformOptions {
  /** Where everything is kept. One platform at a time. */
  readonly dataDir: string;
  /** 0 takes any free port. */
  readonly port?: number;
  readonly host?: string;
  /** Added to the functions' environment; `DYNAMODB_ENDPOINT` and `SQS_ENDPOINT` name engines to use in place of the embedded ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** `file`: `functions.log` in the data directory. */
  readonly logTo?: 'file' | 'stdout';
  /** Which functions to serve, where they are built to, and their routes, when not the project's own. */
  readonly functionsDir?: string;
  readonly distDir?: string;
  readonly operations?: readonly Routed[];
  readonly dispatchSeconds?: number;
  /** Batches of each queue that are worked on at the same time, when not the queue's own number. */
  readonly batchesInFlight?: number | undefined;
  /** How long a failed message stays hidden, by how often it was received. */
  readonly retrySeconds?: (receives: number) => number;
  /** Functions that are imported before the platform counts as ready. */
  readonly warm?: readonly string[];
  /** Runs when the tables exist and before the first request is taken. */
  readonly beforeReady?: (backends: Backends) => Promise<unknown>;
  /** Without consumers and schedules: for tests that drive them by hand. */
  readonly background?: boolean;
}

export interface Platform {
  readonly url: string;
  readonly dataDir: string;
  readonly tables: Readonly<Record<Stage, Table>>;
  readonly queues: Readonly<Record<Stage, Readonly<Record<string, StageQueue>>>>;
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  readonly manifest: Manifest;
  /** The engines' processes that a killed earlier start had left behind, and that this one stopped. */
  readonly orphansStopped: readonly number[];
  /** Stops accepting, finishes what is in flight, stops the engines. Within 10 s. */
  close(): Promise<void>;
}

/** 2, 4, 8 … seconds, at most a minute. */
const backOff = (receives: number): number => Math.min(2 ** receives, 60);
const DEFAULT_WARM = ['authorizer', 'sms/send'];
const DRAIN_MS = 4_500;
const BACKGROUND_MS = 2_500;

type Parts = {
  readonly lock: DataDirLock;
  sink?: LogSink;
  server?: Server;
  served?: ServedStages;
  backends?: Backends;
};

/** Within `ms` or not at all: a stop must end, whatever hangs. */
const atMost = async (ms: number, work: Promise<unknown> | undefined): Promise<void> => {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
};

/** Stops accepting and waits for the requests in flight; cuts those that take too long. */
const drain = async (server: Server): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  const sweep = setInterval(() => server.closeIdleConnections(), 25);
  await atMost(DRAIN_MS, closed);
  clearInterval(sweep);
  server.closeAllConnections();
};

const closeParts = async ({ lock, sink, server, served, backends }: Parts): Promise<void> => {
  if (server) await drain(server);
  await atMost(BACKGROUND_MS, served?.stop());
  await backends?.stop();
  sink?.close();
  lock.release();
};

const noAddress = (_: number, host: string) => `${host} is no address of this machine. Choose another with HOST.`;
/** What a person can do about a port or an address that cannot be listened on. */
const CANNOT_LISTEN: Readonly<Record<string, (port: number, host: string) => string>> = {
  EADDRINUSE: (port, host) => `Port ${port} of ${host} is taken. Choose another with PORT.`,
  EACCES: (port, host) => `Port ${port} of ${host} may not be opened by this user. Choose one above 1023 with PORT.`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
};

const listen = async (server: Server, port: number, host: string): Promise<string> => {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const why = CANNOT_LISTEN[error.code ?? ''];
    throw why ? new CannotStart(why(port, host)) : error;
  });
  const { port: taken } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
};

type OnFault = (where: string, requestId: string, error: unknown) => void;
/** Faults of the platform and of functions go where the functions log, in the same form. */
const faultLogger =
  (sink: LogSink): OnFault =>
  (where, requestId, error) => {
    const fault =
      error instanceof Error
        ? { fault: error.name, reason: error.message, stack: error.stack }
        : { fault: String(error) };
    const line = {
      level: 'ERROR',
      message: 'platform fault',
      timestamp: new Date().toISOString(),
      where,
      requestId,
      ...fault,
    };
    sink.stream.write(`${JSON.stringify(line)}\n`);
  };

const projectOperations = async (): Promise<readonly Routed[]> =>
  (await import('../../shared/contracts/index.ts')).OPERATIONS;

/** Starts the engines and builds what changed, side by side. */
const prepare = async (options: PlatformOptions, parts: Parts, onFault: OnFault) => {
  const { dataDir, env = {}, functionsDir, distDir } = options;
  const building = buildFunctions({
    root: PROJECT,
    ...(functionsDir ? { functionsDir } : {}),
    ...(distDir ? { outDir: distDir } : {}),
  });
  const starting = startBackends({
    dataDir,
    dynamodbEndpoint: env.DYNAMODB_ENDPOINT,
    sqsEndpoint: env.SQS_ENDPOINT,
    onProcess: (pid) => parts.lock.note({ childPids: [pid] }),
    onFault,
  });
  const [built, started] = await Promise.allSettled([building, starting]);
  // Kept before anything else can fail: what runs must be stopped, also when the build broke.
  if (started.status === 'fulfilled') parts.backends = started.value;
  if (built.status === 'rejected') throw built.reason;
  if (started.status === 'rejected') throw started.reason;
  return { build: built.value, backends: started.value };
};

/** Tells the operator's command line where the engines of this platform are. Good as long as the lock's owner is this process. */
const noteForOperator = (dataDir: string, { dynamodbEndpoint, sqsEndpoint, queues }: Backends): Promise<void> => {
  const perStage = <T>(make: (stage: Stage) => T) => Object.fromEntries(STAGES.map((stage) => [stage, make(stage)]));
  const note = {
    pid: process.pid,
    dynamodbEndpoint,
    sqsEndpoint,
    tables: perStage(tableName),
    queueUrls: perStage((stage) => queueUrls(queues[stage])),
  };
  return writeFile(join(dataDir, 'platform.json'), `${JSON.stringify(note, null, 2)}\n`);
};

const assemble = async (options: PlatformOptions, parts: Parts, close: () => Promise<void>): Promise<Platform> => {
  const { dataDir, env = {}, port = 3000, host = '127.0.0.1' } = options;
  parts.sink = openLogSink(options.logTo === 'stdout' ? 'stdout' : { file: join(dataDir, 'functions.log') });
  const onFault = faultLogger(parts.sink);
  let ready: ServedStages | undefined;
  const operations = options.operations ?? (await projectOperations());
  const server = makeGateway({ operations, stages: () => ready?.stages, onFault });
  const url = await listen(server, port, host);
  parts.server = server;
  parts.lock.note({ url });

  const orphansStopped = await parts.lock.stopOrphans();
  const { build, backends } = await prepare(options, parts, onFault);
  const { dispatchSeconds = 5, batchesInFlight, retrySeconds = backOff, warm = DEFAULT_WARM } = options;
  const settings = { dispatchSeconds, batchesInFlight, retrySeconds, warm, onFault };
  const served = await startStages({ ...settings, dataDir, url, env, build, backends, stdout: parts.sink.stream });
  parts.served = served;
  if (options.background !== false) served.startBackground();
  await options.beforeReady?.(backends);
  ready = served;

  const { tables, queues, dynamodbEndpoint, sqsEndpoint } = backends;
  const engines = { dynamodbEndpoint, sqsEndpoint };
  await noteForOperator(dataDir, backends);
  return { url, dataDir, tables, queues, ...engines, manifest: build.manifest, orphansStopped, close };
};

/**
 * Starts both stages on one port of this machine, from the built functions: gateway, authorizer, consumers and schedules in
 * this process, the tables and the queues in engines beside it. Answers once everything is up.
 */
export const startPlatform = async (options: PlatformOptions): Promise<Platform> => {
  defaultAwsSettings(process.env);
  const dataDir = resolve(options.dataDir);
  const parts: Parts = { lock: lockDataDir(dataDir) };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeParts(parts);
    return closing;
  };
  try {
    return await assemble({ ...options, dataDir }, parts, close);
  } catch (error) {
    await close();
    throw error;
  }
};

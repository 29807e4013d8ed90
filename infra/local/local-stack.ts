import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { Table } from '../../shared/storage/client/table.ts';
import { buildFunctions, type Manifest } from '../build/build.ts';
import { type Backends, startBackends, tableFileOf } from './backends.ts';
import { CannotStart } from './cannot-start.ts';
import { consoleServer } from './console.ts';
import { isLoopback } from './due-check.ts';
import { makeGateway } from './gateway.ts';
import { type DataDirLock, lockDataDir } from './lock.ts';
import { type LogSink, openLogSink } from './log-sink.ts';
import { ensureStream, queueUrls, type StageQueue } from './resources.ts';
import type { RoutedOperation } from './router.ts';
import { type ServedStages, startStages } from './serve.ts';
import { type RunningSmpp, type SmppOptions, startSmpp, type WantedPort } from './smpp.ts';
import { defaultAwsSettings, STAGES, type Stage, tableName } from './stages.ts';
import type { LawSettings } from './table-laws/settings.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** Settings of a local stack; tests replace parts of it. */
export interface LocalStackOptions {
  /** Holds all data; one local stack at a time. */
  readonly dataDir: string;
  /** Keeps tables and queues in memory: for tests that start nothing a second time in the same folder. */
  readonly inMemory?: boolean | undefined;
  /** Default 3000; 0 for any free port. */
  readonly port?: number;
  readonly host?: string;
  /** Where SMPP is listened for: a port, 0 for any free one, or the standard port unless it is taken. Absent: nowhere. */
  readonly smppPort?: WantedPort | undefined;
  /** Where SMPP is listened for over TLS as well, and with which certificate. */
  readonly smppTls?: SmppOptions['tls'];
  /** The port on which messages to the SMPP carrier are accepted, if the operator has configured one. Absent: none. */
  readonly carrierPort?: WantedPort | undefined;
  /** Environment variables of the functions; `DYNAMODB_ENDPOINT` and `SQS_ENDPOINT` also replace the embedded engines. */
  readonly env?: Readonly<Record<string, string>>;
  /** Puts DynamoDB's laws before the table engine: see docs/table-laws.md. */
  readonly tableLaws?: Partial<LawSettings> | undefined;
  /** `file` (default): `functions.log` in the data directory. */
  readonly logTo?: 'file' | 'stdout';
  /** Functions, build folder and contracts to serve instead of the project's own. */
  readonly functionsDir?: string;
  readonly distDir?: string;
  /**
   * Folder of the served functions; default: a new folder in the data directory. Stacks with the same folder share its files, including
   * Node's compile cache; files of earlier builds are not removed.
   */
  readonly servedDir?: string | undefined;
  readonly operations?: readonly RoutedOperation[];
  /** Where the console is built; default: `console/dist`. */
  readonly consoleDir?: string | undefined;
  readonly dispatchSeconds?: number;
  /** How often expired rows are deleted, if `ARCHIVE_AFTER_DAYS` is set; default 60 s. */
  readonly expirySeconds?: number | undefined;
  /**
   * How often a quiet table's stream is polled for the metrics. Default: never, without a stream. In memory, the embedded engine reads all
   * records of its streams at each write, which takes 0.2 ms longer for every thousand of them; in a file it has indexes.
   */
  readonly streamSeconds?: number | undefined;
  /** Concurrent batches per queue, instead of each queue's own number. */
  readonly batchesInFlight?: number | undefined;
  /** Visibility time-out of a failed message, in s, by its receive count. */
  readonly retrySeconds?: (receives: number) => number;
  /** How long the gateway keeps an authorizer's policy; default 30 s, as deployed. */
  readonly policyCacheMs?: number;
  /** Functions that are imported before the local stack is ready. */
  readonly warm?: readonly string[];
  /** Runs once the tables exist, before the first request is accepted. */
  readonly beforeReady?: (backends: Backends) => Promise<unknown>;
  /** False runs no consumers and no dispatcher, for tests that drive them by hand. */
  readonly background?: boolean;
}

/** A running local stack. */
export interface LocalStack {
  readonly url: string;
  /** Where SMPP is listened for; undefined: nowhere. */
  readonly smppPort: number | undefined;
  readonly smppTlsPort: number | undefined;
  /** Where messages to the SMPP carrier are taken; undefined: nowhere. */
  readonly carrierPort: number | undefined;
  readonly dataDir: string;
  readonly tables: Readonly<Record<Stage, Table>>;
  readonly queues: Readonly<Record<Stage, Readonly<Record<string, StageQueue>>>>;
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  readonly manifest: Manifest;
  /** Pids of engines that a killed earlier start left behind and this one stopped. */
  readonly orphansStopped: readonly number[];
  /** Stops accepting requests, finishes those in flight, stops the engines. Takes at most 10 s. */
  close(): Promise<void>;
}

/** Exponential: 2, 4, 8 … s, at most 60. */
const backoffSeconds = (receives: number): number => Math.min(2 ** receives, 60);
const DEFAULT_WARM = ['authorizer', 'sms/send'];
const DRAIN_MS = 4_500;
const BACKGROUND_MS = 2_500;

type Parts = {
  readonly lock: DataDirLock;
  sink?: LogSink;
  server?: Server;
  served?: ServedStages;
  backends?: Backends;
  smpp?: RunningSmpp | undefined;
};

/** Waits for `work`, at most `ms`, so that a hanging part cannot keep `close` from ending. */
const waitAtMost = async (ms: number, work: Promise<unknown> | undefined): Promise<void> => {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
};

/** Stops accepting requests and waits for those in flight; after DRAIN_MS their connections are closed. */
const drain = async (server: Server): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  const sweep = setInterval(() => server.closeIdleConnections(), 25);
  await waitAtMost(DRAIN_MS, closed);
  clearInterval(sweep);
  server.closeAllConnections();
};

const closeParts = async ({ lock, sink, server, served, backends, smpp }: Parts): Promise<void> => {
  await Promise.all([server && drain(server), waitAtMost(DRAIN_MS, smpp?.close())]);
  await waitAtMost(BACKGROUND_MS, served?.stop());
  await backends?.stop();
  sink?.close();
  lock.release();
};

const noAddress = (_: number, host: string) => `${host} is not an address of this machine. Choose another with HOST.`;
/** The remedy for a port or address that cannot be bound, by error code. */
const CANNOT_LISTEN: Readonly<Record<string, (port: number, host: string) => string>> = {
  EADDRINUSE: (port, host) => `Port ${port} of ${host} is taken. Choose another with PORT.`,
  EACCES: (port, host) => `Port ${port} of ${host} may not be opened by this user. Choose one above 1023 with PORT.`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
};

/** Listens for SMPP where it is wanted. */
const listenForSmpp = async (
  { smppPort, smppTls, carrierPort, host = '127.0.0.1' }: LocalStackOptions,
  { stages }: ServedStages,
  onFault: OnFault,
  sink: LogSink,
): Promise<RunningSmpp | undefined> => {
  if (smppPort === undefined) return undefined;
  const starting = startSmpp({
    smppPort,
    tls: smppTls,
    carrierPort,
    host,
    functionsOf: (stage) => stages[stage].functions,
    onFault: (where, error) => onFault(where, 'smpp', error),
    onNews: (line) =>
      sink.stream.write(`${JSON.stringify({ level: 'INFO', timestamp: new Date().toISOString(), ...line })}\n`),
  });
  return starting.catch((error: NodeJS.ErrnoException & { port?: number }) => {
    const why = CANNOT_LISTEN[error.code ?? ''];
    throw why ? new CannotStart(why(error.port ?? 0, host).replace(/PORT\.$/, 'SMPP_PORT.')) : error;
  });
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
/** Logs faults of the local stack and of functions to the functions' log, in its format. */
const faultLogger =
  (sink: LogSink): OnFault =>
  (where, requestId, error) => {
    const fault =
      error instanceof Error
        ? { fault: error.name, reason: error.message, stack: error.stack }
        : { fault: String(error) };
    const line = {
      level: 'ERROR',
      message: 'local stack fault',
      timestamp: new Date().toISOString(),
      where,
      requestId,
      ...fault,
    };
    sink.stream.write(`${JSON.stringify(line)}\n`);
  };

const projectOperations = async (): Promise<readonly RoutedOperation[]> =>
  (await import('../../shared/contracts/index.ts')).OPERATIONS;

/** Enables the streams of local tables if the metrics are wanted. On AWS, the table has its stream from the deployment. */
const ensureStreams = async (options: LocalStackOptions, { dynamodb, dynamodbEndpoint }: Backends): Promise<void> => {
  if (!isLoopback(dynamodbEndpoint)) return;
  const isOn = options.streamSeconds !== undefined;
  for (const stage of STAGES) await ensureStream(dynamodb, tableName(stage), isOn);
  const isFile = !options.inMemory && !options.env?.DYNAMODB_ENDPOINT;
  if (isOn && isFile) (await import('./stream-records.ts')).maintainStreamRecords(tableFileOf(options.dataDir));
};

/** Starts the engines and builds the functions in parallel. */
const prepare = async (options: LocalStackOptions, parts: Parts, onFault: OnFault, url: string) => {
  const { dataDir, env = {}, functionsDir, distDir } = options;
  const building = buildFunctions({
    root: PROJECT,
    ...(functionsDir ? { functionsDir } : {}),
    ...(distDir ? { outDir: distDir } : {}),
  });
  const starting = startBackends({
    dataDir,
    inMemory: options.inMemory,
    dynamodbEndpoint: env.DYNAMODB_ENDPOINT,
    sqsEndpoint: env.SQS_ENDPOINT,
    consoleOrigins: [url, env.PUBLIC_URL ?? url].map((address) => new URL(address).origin),
    tableLaws: options.tableLaws,
    onProcess: (pid) => parts.lock.note({ childPids: [pid] }),
    onFault,
  });
  const [built, started] = await Promise.allSettled([building, starting]);
  // Recorded first, so that the engines are stopped when the build failed.
  if (started.status === 'fulfilled') parts.backends = started.value;
  if (built.status === 'rejected') throw built.reason;
  if (started.status === 'rejected') throw started.reason;
  await ensureStreams(options, started.value);
  return { build: built.value, backends: started.value };
};

/** Notes where the engines listen, for the operator's command line. Valid while this process owns the lock. */
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

const assemble = async (options: LocalStackOptions, parts: Parts, close: () => Promise<void>): Promise<LocalStack> => {
  const { dataDir, env = {}, port = 3000, host = '127.0.0.1' } = options;
  parts.sink = openLogSink(options.logTo === 'stdout' ? 'stdout' : { file: join(dataDir, 'functions.log') });
  const onFault = faultLogger(parts.sink);
  let ready: ServedStages | undefined;
  const operations = options.operations ?? (await projectOperations());
  const console = consoleServer({
    root: PROJECT,
    outDir: options.consoleDir,
    connect: () => (parts.backends ? [parts.backends.s3Endpoint] : []),
  });
  const server = makeGateway({ operations, stages: () => ready?.stages, onFault, console });
  const url = await listen(server, port, host);
  parts.server = server;
  parts.lock.note({ url });

  const orphansStopped = await parts.lock.stopOrphans();
  const { build, backends } = await prepare(options, parts, onFault, url);
  const {
    dispatchSeconds = 5,
    batchesInFlight,
    expirySeconds,
    streamSeconds,
    retrySeconds = backoffSeconds,
    warm = DEFAULT_WARM,
  } = options;
  const { policyCacheMs, servedDir } = options;
  const intervals = { dispatchSeconds, expirySeconds, streamSeconds, retrySeconds, policyCacheMs };
  const settings = { ...intervals, batchesInFlight, servedDir, warm, onFault };
  const served = await startStages({ ...settings, dataDir, url, env, build, backends, stdout: parts.sink.stream });
  parts.served = served;
  if (options.background !== false) served.startBackground();
  await options.beforeReady?.(backends);
  parts.smpp = await listenForSmpp(options, served, onFault, parts.sink);
  ready = served;

  const { tables, queues, dynamodbEndpoint, sqsEndpoint } = backends;
  const engines = { dynamodbEndpoint, sqsEndpoint };
  await noteForOperator(dataDir, backends);
  return {
    url,
    smppPort: parts.smpp?.smppPort,
    smppTlsPort: parts.smpp?.smppTlsPort,
    carrierPort: parts.smpp?.carrierPort,
    dataDir,
    tables,
    queues,
    ...engines,
    manifest: build.manifest,
    orphansStopped,
    close,
  };
};

/**
 * Starts both stages on one port: gateway, authorizer, functions, consumers and dispatcher run in this process, DynamoDB, SQS and S3 in
 * embedded engines. Resolves once everything is up. Throws CannotStart for problems that the user can fix, such as a taken port.
 */
export const startLocalStack = async (options: LocalStackOptions): Promise<LocalStack> => {
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

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, unlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { CannotStart } from './cannot-start.ts';

/** A running engine. */
export interface Engine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const BINARY_PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;

const NO_BINARY = `There is no embedded DynamoDB for this system (${process.platform} ${process.arch}).
Start DynamoDB Local and name its address in DYNAMODB_ENDPOINT:

  docker run -d -p 8000:8000 amazon/dynamodb-local -jar DynamoDBLocal.jar -sharedDb
  DYNAMODB_ENDPOINT=http://127.0.0.1:8000 npm start

Without Docker: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.html (with -sharedDb)`;

/** The path of the engine's binary. Throws CannotStart, with instructions, if none is published for this system. */
const dynoxideBinary = (): string => {
  const name = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${BINARY_PACKAGE}/package.json`));
    if (existsSync(join(folder, name))) return join(folder, name);
  } catch {
    // The optional dependency is not installed on this system.
  }
  throw new CannotStart(NO_BINARY);
};

/** A free port on loopback; another process may take it before it is used. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** Start timeout, in ms; long, because tests start many engines concurrently on small machines. */
const START_MS = 30_000;

/** The engine's log. A file and not a pipe, so that the engine's writes never fail when this process ends first. */
const openLog = (file: string | undefined) => {
  const path = file ?? join(tmpdir(), `dynoxide-${randomUUID()}.log`);
  const fd = openSync(path, 'a+');
  if (!file) unlinkSync(path);
  const from = fstatSync(fd).size;
  /** The output since the log was opened, up to 4 KB. */
  const output = (): string => {
    const bytes = Buffer.alloc(4096);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from));
  };
  return { fd, output, close: () => closeSync(fd) };
};

/**
 * Waits until the child logs that it listens; false if it exited instead, for example because its port was taken. A successful connection
 * would prove nothing: another process may have the port.
 */
const listening = async (child: ChildProcess, output: () => string): Promise<boolean> => {
  const deadline = Date.now() + START_MS;
  while (child.exitCode === null && child.signalCode === null) {
    if (output().includes('listening on http://')) return true;
    if (Date.now() > deadline) throw new Error(`The embedded DynamoDB did not start within ${START_MS / 1000} s.`);
    await pause(5);
  }
  return false;
};

/** Files and observers of the DynamoDB engine. */
export interface DynoxideOptions {
  /** The database file; in memory when absent. */
  readonly dbPath?: string;
  /** The engine's log file; a temporary one when absent. */
  readonly logFile?: string;
  readonly port?: number;
  /** Called as soon as its process exists, before it serves. */
  readonly onSpawn?: (pid: number) => void;
  /** Called when it exits without `stop`. */
  readonly onCrash?: () => void;
}

/**
 * Starts the embedded DynamoDB in a separate process group: Ctrl-C in a terminal signals the whole foreground group, and the table must
 * outlive the requests in flight.
 */
export const startDynoxide = async (options: DynoxideOptions = {}): Promise<Engine> => {
  const binary = dynoxideBinary();
  if (options.dbPath) mkdirSync(dirname(options.dbPath), { recursive: true });
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = options.port ?? (await freePort());
    const log = openLog(options.logFile);
    const args = [
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      ...(options.dbPath ? ['--db-path', options.dbPath] : []),
    ];
    const child = spawn(binary, args, { detached: true, stdio: ['ignore', log.fd, log.fd] });
    if (child.pid !== undefined) options.onSpawn?.(child.pid);
    const listens = await listening(child, log.output).finally(log.close);
    if (!listens) continue;
    return childEngine(child, `http://127.0.0.1:${port}`, options.onCrash);
  }
  throw new Error(
    `The embedded DynamoDB exited at once, five times${options.logFile ? `: see ${options.logFile}` : ''}.`,
  );
};

/**
 * Ends a process when this one ends, even by kill -9: a shell waits for a line on a pipe that only this process holds; the end of the pipe
 * without a line means that this process is gone. Call the result once the process has ended. Windows has no such shell: there, the next
 * start ends processes that a kill left behind (`lock.ts`).
 */
const endWithThisProcess = (pid: number): (() => void) => {
  if (process.platform === 'win32') {
    const kill = () => process.kill(pid);
    process.once('exit', kill);
    return () => process.off('exit', kill);
  }
  const script = 'read -r ended || { kill "$1"; sleep 1; kill -9 "$1"; }';
  const watcher = spawn('/bin/sh', ['-c', script, 'sh', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.on('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  return () => watcher.stdin.end('ended\n');
};

const childEngine = (child: ChildProcess, endpoint: string, onCrash?: () => void): Engine => {
  let stopping = false;
  // The engine has its own process group and would survive this process.
  const release = child.pid === undefined ? () => undefined : endWithThisProcess(child.pid);
  const ended = once(child, 'exit').finally(release);
  void ended.then(() => stopping || onCrash?.());
  return {
    endpoint,
    stop: async () => {
      stopping = true;
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), 1_500);
      await ended;
      clearTimeout(force);
    },
  };
};

/** Files of the SQS engine. */
export interface FauxqsOptions {
  /** The folder of the queues' database; in memory when absent. */
  readonly dataDir?: string;
  readonly port?: number;
  readonly onCrash?: () => void;
}

/** Starts the embedded SQS in a worker thread. */
export const startFauxqs = async (options: FauxqsOptions = {}): Promise<Engine> => {
  const { dataDir, port = 0 } = options;
  const worker = new Worker(new URL('./queue-worker.ts', import.meta.url), { workerData: { dataDir, port } });
  const [message] = (await once(worker, 'message')) as [{ port: number }];
  let stopping = false;
  worker.on('error', () => undefined);
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  void ended.then(() => stopping || options.onCrash?.());
  return {
    endpoint: `http://127.0.0.1:${message.port}`,
    stop: async () => {
      stopping = true;
      worker.postMessage('stop');
      const force = setTimeout(() => void worker.terminate(), 1_500);
      await ended;
      clearTimeout(force);
    },
  };
};

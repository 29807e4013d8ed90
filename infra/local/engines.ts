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

/** A running engine: where it listens, and how to end it. */
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

/** The engine's binary; an Error that says what to do where none is published for this system. */
export const dynoxideBinary = (): string => {
  const name = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${BINARY_PACKAGE}/package.json`));
    if (existsSync(join(folder, name))) return join(folder, name);
  } catch {
    // The optional package is not installed here.
  }
  throw new CannotStart(NO_BINARY);
};

/** A port on loopback that nothing listens on at this moment. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** Long: tests start many at once on small machines. */
const START_MS = 30_000;

/** What an engine says of itself: a file that outlives this process, so that no write of the engine's ever fails. */
const openLog = (file: string | undefined) => {
  const path = file ?? join(tmpdir(), `dynoxide-${randomUUID()}.log`);
  const fd = openSync(path, 'a+');
  if (!file) unlinkSync(path);
  const from = fstatSync(fd).size;
  /** What was written since. */
  const said = (): string => {
    const bytes = Buffer.alloc(4096);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from));
  };
  return { fd, said, close: () => closeSync(fd) };
};

/**
 * Waits until the child says that it listens. False when it ended instead: its port may have been taken meanwhile. That the port takes
 * a connection would prove nothing: whoever took the port before the child did would be taken for it.
 */
const listening = async (child: ChildProcess, said: () => string): Promise<boolean> => {
  const deadline = Date.now() + START_MS;
  while (child.exitCode === null && child.signalCode === null) {
    if (said().includes('listening on http://')) return true;
    if (Date.now() > deadline) throw new Error(`The embedded DynamoDB did not start within ${START_MS / 1000} s.`);
    await pause(5);
  }
  return false;
};

export interface DynoxideOptions {
  /** The file that holds the tables; in memory when absent. */
  readonly dbPath?: string;
  /** Where the engine's own messages go. */
  readonly logFile?: string;
  readonly port?: number;
  /** Called in the moment its process exists, before it serves. */
  readonly onSpawn?: (pid: number) => void;
  /** Called when it ends without having been asked to. */
  readonly onCrash?: () => void;
}

/**
 * Starts the embedded DynamoDB. It is kept out of this process's group: Ctrl-C at a terminal goes to the whole group,
 * and the table must outlive the requests that are still being finished.
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
    const listens = await listening(child, log.said).finally(log.close);
    if (!listens) continue;
    return childEngine(child, `http://127.0.0.1:${port}`, options.onCrash);
  }
  throw new Error(
    `The embedded DynamoDB ended at once, five times${options.logFile ? `: see ${options.logFile}` : ''}.`,
  );
};

const childEngine = (child: ChildProcess, endpoint: string, onCrash?: () => void): Engine => {
  let stopping = false;
  // However this process ends, short of a kill -9: the engine has a group of its own and would stay.
  const takeAlong = () => child.kill('SIGTERM');
  process.once('exit', takeAlong);
  const ended = once(child, 'exit').finally(() => process.off('exit', takeAlong));
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

export interface FauxqsOptions {
  /** Holds the queues; in memory when absent. */
  readonly dataDir?: string;
  readonly port?: number;
  readonly onCrash?: () => void;
}

/** Starts the embedded SQS in a thread; persistent when it is given a folder. */
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

import { mkdirSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { startFauxqs } from 'fauxqs';
import { fairest } from './fair-queue.ts';

/** The SQS engine, in a worker thread, so that it does not block the gateway's event loop. */
const { dataDir, port } = workerData as { dataDir?: string; port: number };

/** fauxqs listens on all addresses and has no option for it, so every server of this thread is bound to loopback. */
const listen = Server.prototype.listen as (this: Server, ...args: unknown[]) => Server;
Server.prototype.listen = function (this: Server, ...args: unknown[]) {
  const [options] = args;
  if (typeof options === 'object' && options !== null && 'host' in options) options.host = '127.0.0.1';
  return listen.apply(this, args);
} as typeof Server.prototype.listen;

interface Persistence {
  readonly db: DatabaseSync;
}
interface PersistenceMethods {
  load(this: Persistence, ...stores: unknown[]): void;
  updateMessageReady(this: Persistence, messageId: string): void;
}

/**
 * Patches two faults of fauxqs's persistence.
 * - Making a message visible again sets its receive count to NULL, which violates the column's constraint: `ChangeMessageVisibility` to 0
 *   fails, and receive counts would restart.
 * - Every write is synced to disk. Without syncing, writes still survive a crash of the process; a power cut may lose the last
 *   messages, whose work items the dispatcher finds in the table.
 */
const patchPersistence = async () => {
  const module = new URL('./persistence.js', import.meta.resolve('fauxqs')).href;
  const { prototype } = ((await import(module)) as { PersistenceManager: { prototype: PersistenceMethods } })
    .PersistenceManager;
  const { load } = prototype;
  prototype.load = function (...stores) {
    this.db.exec('PRAGMA synchronous = OFF');
    load.apply(this, stores);
  };
  prototype.updateMessageReady = function (messageId) {
    const statement = 'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?';
    this.db.prepare(statement).run(messageId);
  };
};

interface QueuedMessage {
  readonly body: string;
}
interface LocalQueue {
  messages: QueuedMessage[];
  pollTimer?: NodeJS.Timeout;
  processTimers(): void;
  readonly inflightMessages: ReadonlyMap<string, { readonly message: QueuedMessage }>;
}
interface LocalQueueMethods {
  dequeue(this: LocalQueue, maxCount: number, ...options: unknown[]): unknown;
  startPollTimerIfNeeded(this: LocalQueue): void;
}
/** Messages at the head of a queue among which those of quiet tenants are found. */
const FAIR_WITHIN = 2_500;

/**
 * Makes standard queues fair, like SQS's: the tenant with the fewest messages in flight is next. fauxqs drops the `MessageGroupId` of a
 * message, but the body contains its organization; a message without one counts as a separate tenant.
 */
const makeFair = (prototype: LocalQueueMethods) => {
  const { dequeue } = prototype;
  prototype.dequeue = function (maxCount, ...options) {
    const inFlight = Array.from(this.inflightMessages.values(), ({ message }) => message.body);
    const head = this.messages.slice(0, FAIR_WITHIN).map(({ body }) => body);
    const picked = new Set(fairest(head, inFlight, maxCount));
    const first = [...picked].flatMap((at) => this.messages[at] ?? []);
    // In place, since the engine holds on to the list.
    this.messages.splice(
      0,
      head.length,
      ...first,
      ...this.messages.slice(0, head.length).filter((_, at) => !picked.has(at)),
    );
    return dequeue.call(this, maxCount, ...options);
  };
};

/** How often a queue that is polled looks whether delayed and hidden messages are visible again, which SQS counts in seconds. */
const VISIBLE_AGAIN_MS = 100;
/** fauxqs looks fifty times a second in each queue: half of the processor time of a service that has nothing to do. */
const pollRarely = (prototype: LocalQueueMethods) => {
  prototype.startPollTimerIfNeeded = function () {
    this.pollTimer ??= setInterval(() => this.processTimers(), VISIBLE_AGAIN_MS);
  };
};

const patchQueues = async () => {
  const module = new URL('./sqs/sqsStore.js', import.meta.resolve('fauxqs')).href;
  const { prototype } = ((await import(module)) as { SqsQueue: { prototype: LocalQueueMethods } }).SqsQueue;
  makeFair(prototype);
  pollRarely(prototype);
};

/** Makes in-flight messages visible at the start: their consumers are gone, so waiting for the visibility time-out is pointless. */
const releaseInFlight = (folder: string) => {
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, 'fauxqs.db'));
  try {
    database.exec('UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL');
  } catch {
    // First start: no table yet.
  } finally {
    database.close();
  }
};

await patchPersistence();
await patchQueues();
if (dataDir) releaseInFlight(dataDir);
const server = await startFauxqs({ port, logger: false, ...(dataDir ? { dataDir } : {}) });
parentPort?.on('message', (message) => {
  if (message === 'stop') void server.stop().then(() => parentPort?.close());
});
parentPort?.postMessage({ port: server.port });

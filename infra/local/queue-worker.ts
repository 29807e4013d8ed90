import { mkdirSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { startFauxqs } from 'fauxqs';

/** The SQS engine, in a thread of its own so that its work does not hold up the gateway's. */
const { dataDir, port } = workerData as { dataDir?: string; port: number };

/** The engine listens on every address of the machine; this thread has no other server, so all of them are bound to loopback. */
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
 * Mends the engine's persistence in two places.
 * - Making a message visible again also clears its receive count, which the column refuses: `ChangeMessageVisibility` to zero
 *   would fail, and dead-letter counts would start anew.
 * - Every change waits for the disk. Without that wait, what was written still survives the end of the process, however it
 *   ends; only a power cut may cost the last messages, and those are hints that the dispatcher finds again in the table.
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

/** Whoever had received a message is gone when the engine starts: what it held is visible at once, not after its time-out. */
const releaseHeldMessages = (folder: string) => {
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, 'fauxqs.db'));
  try {
    database.exec('UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL');
  } catch {
    // The first start: there is no table yet.
  } finally {
    database.close();
  }
};

await patchPersistence();
if (dataDir) releaseHeldMessages(dataDir);
const server = await startFauxqs({ port, logger: false, ...(dataDir ? { dataDir } : {}) });
parentPort?.on('message', (message) => {
  if (message === 'stop') void server.stop().then(() => parentPort?.close());
});
parentPort?.postMessage({ port: server.port });

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

interface Receipt {
  readonly at: number;
  readonly subject: string;
}

/** A keep-alive server that responds 200 at once and records when each event arrived. */
export const startReceiver = async () => {
  const receipts: Receipt[] = [];
  let counting = true;
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      outgoing.writeHead(200, { 'content-length': 0 }).end();
      if (!counting) return;
      const at = performance.now();
      const { sequence, data } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      if (sequence !== undefined) receipts.push({ at, subject: data.contactId ?? data.id });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  const count = (on: boolean) => {
    counting = on;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, receipts, count, close };
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Polls until the condition holds; after a minute throws the description. */
export const until = async (isDone: () => boolean, what: () => string): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isDone()) {
    if (performance.now() > deadline) throw new Error(what());
    await pause(10);
  }
};
export const untilReceived = ({ receipts }: Receiver, count: number): Promise<void> =>
  until(
    () => receipts.length >= count,
    () => `${receipts.length} deliveries of ${count} arrived`,
  );

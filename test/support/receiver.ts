import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that an endpoint received: the exact bytes of its body, and its headers in lower case. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: { id: string; type: string; sequence?: number; env: string; data: Record<string, unknown> };
}

/** An endpoint on loopback that keeps what it receives and answers as it is told; 200 with `thanks` by itself. */
export const startReceiver = async (thanks = 'thanks') => {
  const received: Received[] = [];
  const state: { answer: (event: Received) => number } = { answer: () => 200 };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const entry: Received = { headers: incoming.headers as Record<string, string>, body, event: JSON.parse(body) };
      received.push(entry);
      outgoing.writeHead(state.answer(entry)).end(thanks);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    /** Without the validation and without examples that were asked for. */
    events: () => received.filter(({ event }) => event.sequence !== undefined),
    answer: (next: (event: Received) => number) => {
      state.answer = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

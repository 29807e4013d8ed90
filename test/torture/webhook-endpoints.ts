import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Webhook } from 'standardwebhooks';

/** How an endpoint answers events: 200, never, or 500. Validations are answered with 200 by all. */
export type Manner = 'well' | 'hung' | 'broken';

interface Envelope {
  readonly id: string;
  readonly timestamp: string;
  readonly sequence?: number;
  readonly data: { readonly contactId?: string };
}

/** The first receipt of an event; `createdAt` and `at` in ms. */
interface Receipt {
  readonly id: string;
  readonly contactId: string;
  readonly createdAt: number;
  readonly at: number;
}

/** A receiver on loopback that keeps accounts of what it received. */
export interface Endpoint {
  readonly url: string;
  readonly manner: Manner;
  /** False answers with 200, whatever its manner. */
  ill: boolean;
  /** Set once its subscription was made; every signature is verified with it. */
  verifier: Webhook | undefined;
  /** First receipts, by sequence. */
  readonly receipts: Map<number, Receipt>;
  /** Receipts of an event that had come before, with the same id. */
  repeats: number;
  /** What must never be: a bad signature, another event under a known sequence, an id that is not the header's. */
  readonly faults: string[];
  close(): Promise<void>;
}

const note = (endpoint: Endpoint, headers: Readonly<Record<string, string>>, body: string): void => {
  const at = Date.now();
  const { id, timestamp, sequence, data } = JSON.parse(body) as Envelope;
  if (sequence === undefined) return;
  try {
    endpoint.verifier?.verify(body, headers);
  } catch (error) {
    endpoint.faults.push(`sequence ${sequence}: ${String(error)}`);
  }
  if (headers['webhook-id'] !== id) endpoint.faults.push(`sequence ${sequence}: webhook-id is not the event's`);
  const known = endpoint.receipts.get(sequence);
  if (known && known.id !== id) endpoint.faults.push(`sequence ${sequence} came as ${known.id} and as ${id}`);
  if (known) endpoint.repeats += 1;
  else endpoint.receipts.set(sequence, { id, contactId: data.contactId ?? '', createdAt: Date.parse(timestamp), at });
};

const answer = (endpoint: Endpoint, body: string, response: ServerResponse): void => {
  const manner = endpoint.ill && body.includes('"sequence":') ? endpoint.manner : 'well';
  if (manner !== 'hung') response.writeHead(manner === 'broken' ? 500 : 200).end();
};

/** Starts a receiver: a server of its own, so that each endpoint has its own address and connections. */
export const startEndpoint = async (manner: Manner): Promise<Endpoint> => {
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      note(endpoint, incoming.headers as Record<string, string>, body);
      answer(endpoint, body, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint: Endpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    manner,
    ill: true,
    verifier: undefined,
    receipts: new Map(),
    repeats: 0,
    faults: [],
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return endpoint;
};

import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Webhook } from 'standardwebhooks';
import { listening } from '../support/loopback.ts';

/** How an endpoint answers events: 200, never, or 500. All answer validations with 200. */
export type Behaviour = 'healthy' | 'hung' | 'broken';

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

/** A receiver on loopback that records what it received. */
export interface Endpoint {
  readonly url: string;
  readonly behaviour: Behaviour;
  /** False answers with 200, whatever its behaviour. */
  misbehaving: boolean;
  /** Verifies every signature; set once the subscription was created. */
  verifier: Webhook | undefined;
  /** First receipts, by sequence. */
  readonly receipts: Map<number, Receipt>;
  /** Repeated receipts of an event, with the same id. */
  repeats: number;
  /** A bad signature, another event under a known sequence, an id that is not the header's. */
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
  const behaviour = endpoint.misbehaving && body.includes('"sequence":') ? endpoint.behaviour : 'healthy';
  if (behaviour !== 'hung') response.writeHead(behaviour === 'broken' ? 500 : 200).end();
};

/** Starts a receiver: a server of its own, so that each endpoint has its own address and connections. */
export const startEndpoint = async (behaviour: Behaviour): Promise<Endpoint> => {
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    const receive = (body: string) => {
      note(endpoint, incoming.headers as Record<string, string>, body);
      answer(endpoint, body, response);
    };
    text(incoming).then(receive, () => {});
  });
  const { url, close } = await listening(server);
  const endpoint: Endpoint = {
    url: `${url}/hook`,
    behaviour,
    misbehaving: true,
    verifier: undefined,
    receipts: new Map(),
    repeats: 0,
    faults: [],
    close,
  };
  return endpoint;
};

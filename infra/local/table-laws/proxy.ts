import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { type Answer, type Call, Engine, type Json } from './engine.ts';
import { type LawStatistics, Laws } from './laws.ts';
import { query } from './query.ts';
import { batchGet, getItem, scan } from './reads.ts';
import type { Refusal } from './refusals.ts';
import { type LawSettings, lawSettings } from './settings.ts';
import { transactGet, transactWrite } from './transactions.ts';
import { batchWrite, writeItem } from './writes.ts';

/** A running proxy that enforces DynamoDB's laws for an engine that has none. */
export interface TableLaws {
  readonly endpoint: string;
  /** Calls, refusals by kind, and the keys with most units since the start; also served as JSON to a GET of the endpoint. */
  statistics(): LawStatistics;
  /** Items that are in a transaction at this moment. */
  readonly inFlight: () => number;
  close(): Promise<void>;
}

const HANDLERS: Readonly<Record<string, (laws: Laws, call: Call) => Promise<Answer | Refusal>>> = {
  GetItem: getItem,
  BatchGetItem: batchGet,
  Query: query,
  Scan: scan,
  PutItem: (laws, call) => writeItem(laws, call, 'PutItem'),
  UpdateItem: (laws, call) => writeItem(laws, call, 'UpdateItem'),
  DeleteItem: (laws, call) => writeItem(laws, call, 'DeleteItem'),
  BatchWriteItem: batchWrite,
  TransactWriteItems: transactWrite,
  TransactGetItems: transactGet,
};

const respond = (outgoing: ServerResponse, answer: Answer | Refusal): void => {
  const isRefusal = 'type' in answer;
  const body: Json = isRefusal
    ? { __type: `com.amazonaws.dynamodb.v20120810#${answer.type}`, ...answer.body }
    : answer.body;
  const text = Buffer.from(JSON.stringify(body));
  outgoing.writeHead(isRefusal ? 400 : answer.status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': text.length,
    // The checksum of the sent response, not of the engine's: some SDKs check it.
    'x-amz-crc32': crc32(text),
  });
  outgoing.end(text);
};

const serve = async (laws: Laws, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const text = (await buffer(incoming)).toString('utf8');
  if (incoming.method === 'GET') return void outgoing.end(JSON.stringify(laws.statistics()));
  const action = String(incoming.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
  const call: Call = { action, headers: incoming.headers, body: JSON.parse(text || '{}') as Json };
  laws.called(action);
  const handle = HANDLERS[action];
  respond(outgoing, handle ? await handle(laws, call) : await laws.engine.forward(call));
};

/**
 * Starts a proxy for an engine at `target` (http://…) that rejects what DynamoDB would reject: see docs/table-laws.md. Calls other than
 * reads and writes of items are passed on. If the engine is unreachable, the client's connection is closed.
 */
export const startTableLaws = async (target: string, given: Partial<LawSettings> = {}): Promise<TableLaws> => {
  const engine = new Engine(target);
  const laws = new Laws(lawSettings(given), engine);
  const server = createServer((incoming, outgoing) => {
    serve(laws, incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  // Like DynamoDB: longer than clients keep a connection, so that none is closed while a call is in flight.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    statistics: () => laws.statistics(),
    inFlight: () => laws.flights.inFlight,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      engine.close();
    },
  };
};

import { EventEmitter, once } from 'node:events';
import http, {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { MemoryTables } from './client.ts';
import { type WireAnswer, wireAnswer } from './wire.ts';

/*
 * Tables in memory at an address, for a service that runs in this process. Its calls are answered here, without a connection; those of other
 * processes and of clients that do not use `http.request` by a server.
 */

const engines = new Map<number, MemoryTables>();

/** The tables in memory at an address; undefined where another engine listens. */
export const memoryTablesAt = (endpoint: string): MemoryTables | undefined =>
  engines.get(Number(new URL(endpoint).port));

/** A request that is answered in this process, as far as the service's clients use one (`shared/aws/exchange.ts`). */
class AnsweredRequest extends EventEmitter {
  readonly #headers: Readonly<Record<string, unknown>>;
  readonly #tables: MemoryTables;
  #isOver = false;

  constructor(tables: MemoryTables, { headers, signal }: RequestOptions, onAnswer: (answer: IncomingMessage) => void) {
    super();
    this.#tables = tables;
    this.#headers = headers as Record<string, unknown>;
    this.once('response', onAnswer);
    signal?.addEventListener('abort', () => this.#fail(signal), { once: true });
  }

  getHeader(name: string): unknown {
    return this.#headers[name];
  }

  end(body: string | Uint8Array): this {
    // After those that called before: never within the call itself.
    setImmediate(() => {
      if (this.#isOver) return;
      this.#isOver = true;
      this.#answer(
        wireAnswer(this.#tables, String(this.getHeader('x-amz-target')), Buffer.from(body).toString('utf8')),
      );
    });
    return this;
  }

  destroy(): this {
    this.#isOver = true;
    return this;
  }

  #answer({ statusCode, body }: WireAnswer): void {
    const answer = Object.assign(new EventEmitter(), { statusCode, headers: {} });
    this.emit('response', answer);
    answer.emit('data', Buffer.from(body));
    answer.emit('end');
  }

  #fail(signal: AbortSignal): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.emit(
      'error',
      Object.assign(new Error('The operation was aborted', { cause: signal.reason }), { name: 'AbortError' }),
    );
  }
}

/** The SDK's own requests, of which a client makes one, name a `host`: they take the way of the server. */
const tablesOf = (options: RequestOptions | string | URL): MemoryTables | undefined =>
  typeof options === 'object' && 'hostname' in options && !(options instanceof URL)
    ? engines.get(Number(options.port))
    : undefined;

const { request } = http;
http.request = ((...input: Parameters<typeof request>) => {
  const [options, onAnswer] = input as unknown as [RequestOptions, ((answer: IncomingMessage) => void)?];
  const tables = tablesOf(options);
  if (!tables || !onAnswer) return request(...input);
  return new AnsweredRequest(tables, options, onAnswer) as unknown as ClientRequest;
}) as typeof request;
syncBuiltinESMExports();

/** Tables in memory at an address of this machine. */
export const startMemoryEngine = async (): Promise<{ readonly endpoint: string; close(): Promise<void> }> => {
  const tables = new MemoryTables();
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const requested = await text(incoming);
    // Whether somebody listens here is asked without a call.
    if (incoming.method !== 'POST') return void outgoing.writeHead(200).end();
    const { statusCode, body } = wireAnswer(tables, String(incoming.headers['x-amz-target']), requested);
    outgoing.writeHead(statusCode, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
  };
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const { port } = server.address() as AddressInfo;
  engines.set(port, tables);
  const close = async () => {
    engines.delete(port);
    server.closeAllConnections();
    server.close();
  };
  return { endpoint: `http://127.0.0.1:${port}`, close };
};

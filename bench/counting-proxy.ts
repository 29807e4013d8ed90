import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A recorded call; `done` is false if the engine refused it, because of a condition or a fault. */
export interface CountedCall {
  readonly action: string;
  readonly body: string;
  readonly done: boolean;
  /** When it came and when it was answered, by `performance.now()`. */
  readonly from: number;
  readonly to: number;
}

/** What was consumed since the last reset. */
export interface Consumed {
  readonly trips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Round trips by action. */
  readonly actions: Readonly<Record<string, number>>;
  /** The calls with their bodies, to model units from. */
  readonly calls: readonly (CountedCall & { readonly units: number })[];
}

export interface CountingProxy {
  readonly endpoint: string;
  reset(): void;
  /** Consumption since the last reset. */
  taken(): Consumed;
  close(): Promise<void>;
}

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']);

const readAll = async (stream: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

interface Capacity {
  readonly CapacityUnits?: number;
}
const unitsOf = (answer: string): number => {
  const { ConsumedCapacity: consumed } = JSON.parse(answer) as { ConsumedCapacity?: Capacity | Capacity[] };
  return [consumed ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
};

/** The call with ReturnConsumedCapacity added. */
const withConsumedCapacity = (action: string, body: Buffer): Buffer =>
  action.startsWith('Describe')
    ? body
    : Buffer.from(
        JSON.stringify({ ...(JSON.parse(body.toString('utf8')) as object), ReturnConsumedCapacity: 'TOTAL' }),
      );

/** A transparent proxy in front of the engine that counts round trips and request units. */
export const startCountingProxy = async (target: string): Promise<CountingProxy> => {
  const agent = new Agent({ keepAlive: true });
  let counted: (CountedCall & { readonly units: number })[] = [];
  const forward = (headers: IncomingMessage['headers'], body: Buffer) =>
    new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
      const sized = { ...headers, 'content-length': String(body.length) };
      const outgoing = request(target, { method: 'POST', headers: sized, agent }, (answer) => {
        const { statusCode: status = 500 } = answer;
        readAll(answer).then((answered) => resolve({ status, headers: answer.headers, body: answered }), reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const serve = async (incoming: IncomingMessage): Promise<Awaited<ReturnType<typeof forward>>> => {
    const action = String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '';
    const body = withConsumedCapacity(action, await readAll(incoming));
    const from = performance.now();
    const answer = await forward(incoming.headers, body);
    const text = answer.body.toString('utf8');
    const done = answer.status === 200;
    counted.push({
      action,
      body: body.toString('utf8'),
      done,
      from,
      to: performance.now(),
      units: done ? unitsOf(text) : 0,
    });
    return answer;
  };
  const server = createServer((incoming, outgoing) => {
    serve(incoming).then(
      ({ status, headers, body }) => outgoing.writeHead(status, headers).end(body),
      () => incoming.socket.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sum = (reads: boolean) =>
    counted.filter(({ action }) => READS.has(action) === reads).reduce((total, { units }) => total + units, 0);
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reset: () => {
      counted = [];
    },
    taken: () => ({
      trips: counted.length,
      readUnits: sum(true),
      writeUnits: sum(false),
      actions: Object.fromEntries(
        [...Map.groupBy(counted, ({ action }) => action)].map(([name, all]) => [name, all.length]),
      ),
      calls: [...counted],
    }),
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

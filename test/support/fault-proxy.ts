import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A call on its way to the engine: what a fault is chosen by. */
export interface ProxiedCall {
  /** `TransactWriteItems`, `GetItem`, `SendMessageBatch`, … */
  readonly action: string;
  /** How many calls of that action came before this one. */
  readonly nth: number;
  readonly body: string;
}

/** What happens to a call instead of a plain forward. */
export type Fault =
  /** The engine never sees it; the answer is this error, as AWS JSON 1.0 writes it. */
  | { readonly kind: 'error'; readonly status: number; readonly type: string; readonly body?: object }
  /** The engine carries it out; the connection breaks before the answer. */
  | { readonly kind: 'lose_answer' }
  /** The engine never sees it; the connection breaks. */
  | { readonly kind: 'drop' }
  /** The engine carries it out; the connection breaks in the middle of the answer's body. */
  | { readonly kind: 'cut' }
  /** The engine never sees it; something on the way answers in its place, in no words of AWS. */
  | { readonly kind: 'stranger'; readonly status: number; readonly contentType: string; readonly body: string }
  /** Forwarded after a wait, in ms. */
  | { readonly kind: 'delay'; readonly ms: number };

export type FaultPlan = (call: ProxiedCall) => Fault | undefined;

/** DynamoDB's own words for the faults that an embedded engine never raises. */
export const FAULTS = {
  conflict: (items: number): Fault => ({
    kind: 'error',
    status: 400,
    type: 'TransactionCanceledException',
    body: {
      message: 'Transaction cancelled, please refer cancellation reasons for specific reasons',
      CancellationReasons: Array.from({ length: items }, (_, at) =>
        at === 1 ? { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' } : { Code: 'None' },
      ),
    },
  }),
  throttle: {
    kind: 'error',
    status: 400,
    type: 'ProvisionedThroughputExceededException',
    body: { message: 'The level of configured provisioned throughput for the table was exceeded.' },
  },
  throttleRequest: { kind: 'error', status: 400, type: 'ThrottlingException', body: { message: 'Rate exceeded' } },
  internal: { kind: 'error', status: 500, type: 'InternalServerError', body: { message: 'Internal server error' } },
  loseAnswer: { kind: 'lose_answer' },
  drop: { kind: 'drop' },
  cut: { kind: 'cut' },
  gateway: { kind: 'stranger', status: 502, contentType: 'text/html', body: '<html>Bad gateway</html>' },
  tooMany: { kind: 'stranger', status: 429, contentType: 'text/plain', body: 'Too many requests' },
  noJson: { kind: 'stranger', status: 200, contentType: 'application/x-amz-json-1.0', body: '{"half": ' },
} as const satisfies Record<string, Fault | ((items: number) => Fault)>;

export interface FaultProxy {
  readonly endpoint: string;
  /** Chooses the fault of each call from now on; undefined forwards all. */
  plan(next: FaultPlan | undefined): void;
  /** Calls by action since the start. */
  readonly calls: ReadonlyMap<string, number>;
  /** Lets a client's calls go straight to the target, counted, while no fault is planned: the hop costs as much processor time as the call. */
  shortcut(client: DynamoDBClient): void;
  close(): Promise<void>;
}

const readAll = async (stream: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** A proxy before DynamoDB or SQS that raises what the embedded engines do not: conflicts, throttling, 5xx, lost answers. */
export const startFaultProxy = async (target: string): Promise<FaultProxy> => {
  const agent = new Agent({ keepAlive: true });
  const calls = new Map<string, number>();
  let current: FaultPlan | undefined;

  const forward = (
    incoming: IncomingMessage,
    body: Buffer,
  ): Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(incoming.url ?? '/', target),
        { method: incoming.method ?? 'POST', headers: incoming.headers, agent },
        (answer) => {
          readAll(answer).then(
            (answered) => resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: answered }),
            reject,
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  /** Counts a call: its action, and how many of that action came before it. */
  const counted = (headers: Readonly<Record<string, unknown>>) => {
    const action = String(headers['x-amz-target'] ?? '').replace(/^.*\./, '');
    const nth = calls.get(action) ?? 0;
    calls.set(action, nth + 1);
    return { action, nth };
  };

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await readAll(incoming);
    const call = { ...counted(incoming.headers), body: body.toString('utf8') };
    const fault = current?.(call);
    if (fault?.kind === 'drop') return void incoming.socket.destroy();
    if (fault?.kind === 'stranger') {
      outgoing.writeHead(fault.status, { 'content-type': fault.contentType });
      return void outgoing.end(fault.body);
    }
    if (fault?.kind === 'error') {
      outgoing.writeHead(fault.status, { 'content-type': 'application/x-amz-json-1.0' });
      return void outgoing.end(
        JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${fault.type}`, ...fault.body }),
      );
    }
    if (fault?.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    const answer = await forward(incoming, body);
    if (fault?.kind === 'lose_answer') return void incoming.socket.destroy();
    const cut = fault?.kind === 'cut';
    // A length that is never reached: the caller knows that something is missing.
    const headers = cut ? { ...answer.headers, 'content-length': String(answer.body.length + 1) } : answer.headers;
    outgoing.writeHead(answer.status, headers);
    if (!cut) return void outgoing.end(answer.body);
    outgoing.write(answer.body.subarray(0, answer.body.length / 2), () => incoming.socket.destroy());
  };

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    plan: (next) => {
      current = next;
    },
    calls,
    shortcut: (client) =>
      client.middlewareStack.add(
        (next) => (args) => {
          const sent = args.request as { port: number; headers: Readonly<Record<string, string>> };
          if (!current) {
            counted(sent.headers);
            sent.port = Number(new URL(target).port);
          }
          return next(args);
        },
        { step: 'finalizeRequest', priority: 'low', name: 'shortcut' },
      ),
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

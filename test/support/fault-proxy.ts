import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { callEngine } from './engine-calls.ts';
import { type ReadIndex, readByScan } from './index-entries.ts';
import { listening } from './loopback.ts';

/** A call to the engine: what a fault is chosen by. */
export interface ProxiedCall {
  /** `TransactWriteItems`, `GetItem`, `SendMessageBatch`, … */
  readonly action: string;
  /** How many calls of that action came before this one. */
  readonly nth: number;
  readonly body: string;
}

/** A fault that replaces the plain forwarding of a call. */
export type Fault =
  /** The engine never sees it; the answer is this error, as AWS JSON 1.0 writes it. */
  | { readonly kind: 'error'; readonly status: number; readonly type: string; readonly body?: object }
  /** The engine carries it out; the connection breaks before the answer. */
  | { readonly kind: 'lose_answer' }
  /** The engine never sees it; the connection breaks. */
  | { readonly kind: 'drop' }
  /** The engine carries it out; the connection breaks in the middle of the answer's body. */
  | { readonly kind: 'cut' }
  /** The engine never sees it; a gateway in between answers, in a form that is not AWS's. */
  | { readonly kind: 'gateway'; readonly status: number; readonly contentType: string; readonly body: string }
  /** Forwarded after a wait, in ms. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The engine carries it out; its answer is passed on once this has resolved, which is called when the answer is there. */
  | { readonly kind: 'hold_answer'; readonly until: () => Promise<unknown> };

export type FaultPlan = (call: ProxiedCall) => Fault | undefined;

/** The fault meets transactions from now on: the `first` to the `last`, or of these each `every`th. */
export const onTransactions = (fault: Fault, { first = 0, last = Infinity, every = 1 } = {}): FaultPlan => {
  let seen = 0;
  return ({ action }) => {
    if (action !== 'TransactWriteItems') return undefined;
    const at = seen++;
    return at >= first && at <= last && (at - first) % every === 0 ? fault : undefined;
  };
};

/** Faults that an embedded engine never raises, as DynamoDB answers them. */
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
  gateway: { kind: 'gateway', status: 502, contentType: 'text/html', body: '<html>Bad gateway</html>' },
  tooMany: { kind: 'gateway', status: 429, contentType: 'text/plain', body: 'Too many requests' },
  noJson: { kind: 'gateway', status: 200, contentType: 'application/x-amz-json-1.0', body: '{"half": ' },
} as const satisfies Record<string, Fault | ((items: number) => Fault)>;

/** The faults of a table that a history meets, by name; a conflict is one of a transaction of so many items. */
export const tableFaults = (items: number): Readonly<Record<string, Fault>> => {
  const { throttle, internal, loseAnswer, drop } = FAULTS;
  return { conflict: FAULTS.conflict(items), throttle, internal, loseAnswer, drop };
};

/** Work that an injected fault may make fail: its row stays due and is found again. */
export const tolerant = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (error instanceof Error && error.name === 'Unavailable') return undefined;
    throw error;
  });

/** A proxy before DynamoDB or SQS that raises what the embedded engines do not: conflicts, throttling, 5xx, lost answers. */
export const startFaultProxy = async (target: string) => {
  const agent = new Agent({ keepAlive: true });
  const calls = new Map<string, number>();
  const closing: (() => void)[] = [];
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
          buffer(answer).then(
            (answered) => resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: answered }),
            reject,
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  /** Counts a call: its action, and how many of that action came before it. */
  const counted = (action: string) => {
    const nth = calls.get(action) ?? 0;
    calls.set(action, nth + 1);
    return { action, nth };
  };

  const actionOf = (headers: Readonly<Record<string, unknown>>) =>
    String(headers['x-amz-target'] ?? '').replace(/^.*\./, '');

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const call = { ...counted(actionOf(incoming.headers)), body: body.toString('utf8') };
    const fault = current?.(call);
    if (fault?.kind === 'drop') return void incoming.socket.destroy();
    if (fault?.kind === 'gateway') {
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
    if (fault?.kind === 'hold_answer') await fault.until();
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
  const { url, close } = await listening(server);
  return {
    endpoint: url,
    /** Chooses the fault of each call from now on; undefined forwards all. */
    plan(next: FaultPlan | undefined) {
      current = next;
    },
    /** Calls by action since the start. */
    calls: calls as ReadonlyMap<string, number>,
    /** The calls that this work makes, by action. */
    async callsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
      const before = new Map(calls);
      await work();
      const made = [...calls].map(([action, count]) => [action, count - (before.get(action) ?? 0)] as const);
      return Object.fromEntries(made.filter(([, count]) => count > 0));
    },
    /** Lets a client call the target directly, counted, while no fault is planned: a proxied call costs twice the processor time. */
    shortcut: (client: DynamoDBClient): void =>
      client.middlewareStack.add(
        (next) => (args) => {
          const sent = args.request as { port: number; headers: Readonly<Record<string, string>> };
          if (!current) {
            counted(actionOf(sent.headers));
            sent.port = Number(new URL(target).port);
          }
          return next(args);
        },
        { step: 'finalizeRequest', priority: 'low', name: 'shortcut' },
      ),
    /** The same for a target that is the embedded engine itself: without the SDK as well. Its indexes are read while no fault is planned. */
    shortcutToEngine(client: DynamoDBClient): ReadIndex {
      const { close: closeCalls, read } = callEngine(client, target, (action) => {
        if (current) return false;
        counted(action);
        return true;
      });
      closing.push(closeCalls);
      return readByScan(async (input) => (current ? undefined : read('Scan', input)));
    },
    async close() {
      for (const each of closing) each();
      agent.destroy();
      await close();
    },
  };
};
export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

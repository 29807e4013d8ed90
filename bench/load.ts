import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { responseCounter } from './response-counter.ts';

/** Load on a loopback server over keep-alive connections; each sends its next request after the last response. */
export interface LoadPlan {
  readonly port: number;
  /** Further processes: connections are shared out evenly among them and the first. */
  readonly otherPorts?: readonly number[];
  readonly connections: number;
  /** Measured time, in ms. */
  readonly measureMs: number;
  /** Warm-up, not measured, in ms. */
  readonly warmMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `{n}` is replaced by a unique number, `{nnn}` by its last three digits. */
  readonly body?: string;
  /** Wait of a connection between a response and its next request, in ms; none by default. */
  readonly thinkMs?: number;
  /** Whether each response is reported. */
  readonly traced?: boolean;
  /** Replaces `{key}`, one after the other. */
  readonly credentials?: readonly string[];
}

/** A response: when it ended, by `Date.now()`, and how long it took, in ms. */
export interface Traced {
  readonly at: number;
  readonly ms: number;
  readonly status: string;
  /** Whether it says when to come back. */
  readonly retryAfter: boolean;
}

export interface LoadResult {
  /** Measured responses, also to what was sent just before the end. */
  readonly requests: number;
  /** Responses that came before the end. */
  readonly perSecond: number;
  /** From the end of the warm-up until the last response, in ms. */
  readonly lastMs: number;
  /** In ms. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Each measured response, if asked for. */
  readonly trace: readonly Traced[];
  /** Responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Length in bytes of the first response in the buffer; undefined until it is complete. */
const answerLength = (buffer: Buffer): number | undefined => {
  const end = buffer.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = buffer.subarray(0, end).toString('latin1');
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const total = end + 4 + Number(length ?? 0);
  return buffer.length >= total ? total : undefined;
};

const runConnection = async (
  plan: LoadPlan,
  port: number,
  next: () => Buffer,
  until: () => boolean,
  note: (head: string, ms: number) => void,
): Promise<void> => {
  const socket: Socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, 'connect');
  let buffer: Buffer = Buffer.alloc(0);
  let startedAt = performance.now();
  const { thinkMs } = plan;
  const write = () => {
    startedAt = performance.now();
    socket.write(next());
  };
  const send = () => (thinkMs === undefined ? write() : setTimeout(write, thinkMs));
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
      const length = answerLength(buffer);
      if (length === undefined) return;
      note(buffer.subarray(9, buffer.indexOf(HEAD_END)).toString('latin1'), performance.now() - startedAt);
      buffer = buffer.subarray(length);
      if (until()) return resolve();
      send();
    });
    send();
  });
  socket.destroy();
};

/** Runs the plan in this thread. */
const runLoad = async (plan: LoadPlan): Promise<LoadResult> => {
  let n = 0;
  const run = Date.now().toString(36);
  const { credentials = [], otherPorts = [] } = plan;
  const ports = [plan.port, ...otherPorts];
  const fixed = Object.entries({ host: '127.0.0.1', ...plan.headers });
  const next = (): Buffer => {
    n += 1;
    const fill = (text: string) =>
      text
        .replaceAll('{n}', `${run}-${n}`)
        .replaceAll('{nnn}', String(n % 1_000).padStart(3, '0'))
        .replaceAll('{key}', credentials[n % credentials.length] ?? '');
    const body = Buffer.from(plan.body ? fill(plan.body) : '');
    const lines = fixed.map(([name, value]) => `${name}: ${fill(value)}`);
    const head = `${plan.method} ${plan.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head, 'latin1'), body]);
  };
  const counter = responseCounter(plan);
  const trace: Traced[] = [];
  const note = (head: string, ms: number) => {
    const status = head.slice(0, 3);
    if (counter.note(status, ms) && plan.traced)
      trace.push({ at: Date.now(), ms, status, retryAfter: /\r\nretry-after:/i.test(head) });
  };
  await Promise.all(
    Array.from({ length: plan.connections }, (_, at) =>
      runConnection(plan, ports[at % ports.length] ?? plan.port, next, counter.isOver, note),
    ),
  );
  return { ...counter.result(), trace };
};

if (parentPort) parentPort.postMessage(await runLoad(workerData as LoadPlan));

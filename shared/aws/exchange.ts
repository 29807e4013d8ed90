import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** Where a client's calls go, and how long each may take. */
export interface Line {
  readonly isSecure: boolean;
  readonly hostname: string;
  readonly port: number | undefined;
  readonly path: string;
  readonly agent: Agent;
  /** Limits in ms: to connect, and for the whole exchange. */
  readonly connectMs: number;
  readonly answerMs: number;
}

export interface Answer {
  readonly statusCode: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const timedOut = (what: string, ms: number): Error =>
  Object.assign(new Error(`AWS ${what} within ${ms} ms.`), { name: 'TimeoutError', code: 'ETIMEDOUT' });

/** Fails a call that gets no connection in time. A connection that is used again has none to wait for. */
const limitConnecting = (call: ClientRequest, ms: number, fail: (error: Error) => void): void => {
  call.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => fail(timedOut('was not connected', ms)), ms);
    const clear = () => clearTimeout(timer);
    socket.once('connect', clear).once('close', clear);
  });
};

/** Makes one HTTP call and reads its answer. Rejects with the socket's error, a `TimeoutError`, or the `AbortError` of `signal`. */
export const exchange = (
  line: Line,
  headers: Record<string, string>,
  body: string,
  signal?: AbortSignal,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { isSecure, hostname, port, path, agent, connectMs, answerMs } = line;
    const send = isSecure ? httpsRequest : httpRequest;
    const to = { hostname, port, path, method: 'POST', headers, agent, ...(signal ? { signal } : {}) };
    const call = send(to, (answer) => {
      const chunks: Buffer[] = [];
      answer
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', fail)
        .on('end', () => {
          clearTimeout(timer);
          const [only] = chunks;
          const whole = only && chunks.length === 1 ? only : Buffer.concat(chunks);
          resolve({ statusCode: answer.statusCode ?? 0, headers: answer.headers, body: whole });
        });
    });
    const fail = (error: Error) => {
      clearTimeout(timer);
      // At once: a call that still waits for a connection would not report that it was destroyed.
      reject(error);
      call.destroy();
    };
    const timer = setTimeout(() => fail(timedOut('did not answer', answerMs)), answerMs);
    limitConnecting(call, connectMs, fail);
    call.on('error', fail).end(body);
  });

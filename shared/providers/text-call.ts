import * as http from 'node:http';
import * as https from 'node:https';
import type { Clock } from '../domain/core/time.ts';
import type { CallText, TextAnswer, TextCall } from '../domain/message/provider-port.ts';
import { dropIdleSockets, MAX_IDLE_MS } from './keep-alive.ts';

/** Time to connect, the TLS handshake included, in ms. */
const CONNECT_MS = 10_000;

/** An error whose system call distinguishes it from the time-out of an answer. */
const notConnected = (): Error =>
  Object.assign(new Error('not connected in time'), { code: 'ETIMEDOUT', syscall: 'connect' });
const timedOut = (): Error => Object.assign(new Error('no whole answer in time'), { name: 'TimeoutError' });

/** As Node's `fetch` sends them, but for the encoding: answers are not decompressed. */
const DEFAULT_HEADERS = { accept: '*/*', 'user-agent': 'node', 'accept-encoding': 'identity' };

const headersOf = ({ headers, body }: TextCall): http.OutgoingHttpHeaders => {
  const all: http.OutgoingHttpHeaders = { ...DEFAULT_HEADERS };
  for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value;
  if (body === undefined) return all;
  all['content-type'] ??= 'text/plain;charset=UTF-8';
  all['content-length'] = Buffer.byteLength(body);
  return all;
};

/** Ends a call whose new connection is not ready in time: until then, no byte of the request leaves this machine. */
const limitConnecting = (call: http.ClientRequest, isSecure: boolean, fail: (error: Error) => void): void => {
  call.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => fail(notConnected()), CONNECT_MS);
    const clear = () => clearTimeout(timer);
    socket.once(isSecure ? 'secureConnect' : 'connect', clear).once('close', clear);
  });
};

const readAnswer = (response: http.IncomingMessage, maxBytes: number, settle: (answer: TextAnswer | Error) => void) => {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  response
    .on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > maxBytes) settle(new RangeError('the answer is too long'));
      else chunks.push(chunk);
    })
    .on('error', settle)
    .on('end', () => {
      const get = (name: string) => headers[name.toLowerCase()]?.toString() ?? null;
      settle({ status, headers: { get }, body: Buffer.concat(chunks).toString('utf8') });
    });
};

/**
 * Makes calls over HTTP/1.1 that reuse a connection only within `MAX_IDLE_MS`. Unlike `fetch`, which takes twice the processor time and is
 * loaded by a process's first call, it neither follows redirects nor repeats a request, ever.
 */
export const textCalls = (now: Clock): CallText => {
  const agents = [http, https].map(({ Agent }) => dropIdleSockets(new Agent({ keepAlive: true }), MAX_IDLE_MS, now));
  const [plain, secure] = agents as [http.Agent, https.Agent];
  return (call) =>
    new Promise((resolve, reject) => {
      const url = new URL(call.url);
      const isSecure = url.protocol === 'https:';
      const options = { method: call.method, headers: headersOf(call), agent: isSecure ? secure : plain };
      const request = isSecure ? https.request(url, options) : http.request(url, options);
      const settle = (outcome: TextAnswer | Error) => {
        clearTimeout(timer);
        if (!(outcome instanceof Error)) return resolve(outcome);
        reject(outcome);
        request.destroy();
      };
      const timer = setTimeout(() => settle(timedOut()), call.timeoutMs);
      limitConnecting(request, isSecure, settle);
      request
        .on('response', (response) => readAnswer(response, call.maxBytes, settle))
        .on('upgrade', (_, socket) => {
          socket.destroy();
          settle(new Error('a change of protocol that was not asked for'));
        })
        .on('error', settle)
        .end(call.body);
    });
};

import type * as http from 'node:http';
import { checkEndpoint, type EndpointPolicy } from '../../domain/webhooks/address.ts';
import type { PostOutcome } from '../../domain/webhooks/ports.ts';
import { answerHeaders, answerText, MOST_BODY_BYTES } from './answer.ts';
import { type ConnectError, ConnectFault, codeOf, createConnections, type WebhookConnections } from './connections.ts';
import { beginRequest } from './request.ts';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole exchange: name, connection, request, and the answer with its body. In ms. */
  readonly timeoutMs?: number;
  /** Called once where there is no whole answer after so long, in ms. */
  readonly slow?: { readonly afterMs: number; readonly call: () => void };
}

export interface PostOptions extends EndpointPolicy {
  /** Where connections come from; the process has its own. */
  readonly connections?: WebhookConnections;
}

export type PostError = ConnectError | 'reset' | 'bad_answer';

const TIMEOUT_MS = 15_000;
/** Interim answers (RFC 9110, 15.2) before the final one; more are somebody keeping our processor busy. */
const MOST_INTERIM = 8;

/** Names that frame the message on its connection: they are ours, whatever a caller passes. */
const FRAMING = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

type Exchange = DistributiveOmit<PostOutcome, 'durationMs'>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
const failed = (error: PostError, detail: string): Exchange => ({ kind: 'failed', error, detail });

const headersOf = ({ headers, body }: WebhookRequest): Record<string, string | number> => ({
  ...Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !FRAMING.has(name)),
  ),
  // Nothing is unpacked either way; this only asks for text that can be shown.
  'accept-encoding': 'identity',
  'content-length': Buffer.byteLength(body),
});

const faultOf = (fault: unknown): Exchange => {
  if (fault instanceof ConnectFault) return failed(fault.error, fault.message);
  const code = codeOf(fault);
  return failed(code.startsWith('HPE_') ? 'bad_answer' : 'reset', code);
};

/** Reads an answer until its end, or until it is as long as what is kept; the rest is not received. */
const readAnswer = (
  request: http.ClientRequest,
  response: http.IncomingMessage,
  settle: (exchange: Exchange) => void,
): void => {
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = () =>
    settle({
      kind: 'answered',
      status: response.statusCode ?? 0,
      headers: answerHeaders(response.rawHeaders),
      body: answerText(Buffer.concat(chunks)),
    });
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size <= MOST_BODY_BYTES) return;
    finish();
    request.destroy();
  });
  response.on('end', finish);
  // An answer that breaks off is none: its receiver may not have done what its status says.
  response.on('error', (fault) => settle(faultOf(fault)));
};

interface Sent {
  readonly exchange: Exchange;
  /** The connection had idled and was closed by the other side before a byte of an answer. */
  readonly stale: boolean;
}

const send = (url: URL, asked: WebhookRequest, agent: http.Agent, ms: number): Promise<Sent> =>
  new Promise((resolve) => {
    const request = beginRequest(url, { method: 'POST', headers: headersOf(asked), agent });
    let answered = false;
    // The clock does not wait for the request to notice: one that waits for its connection notices nothing.
    const timer = setTimeout(() => {
      settle(failed('timeout', 'no whole answer in time'));
      request.destroy();
    }, ms);
    const settle = (exchange: Exchange, stale = false) => {
      clearTimeout(timer);
      resolve({ exchange, stale });
    };
    let interim = 0;
    request.on('information', () => {
      if (++interim <= MOST_INTERIM) return;
      settle(failed('bad_answer', 'too many interim answers'));
      request.destroy();
    });
    request.on('upgrade', (_, socket) => {
      settle(failed('bad_answer', 'a change of protocol that was not asked for'));
      socket.destroy();
    });
    request.on('response', (response) => {
      answered = true;
      readAnswer(request, response, settle);
    });
    request.on('error', (fault) => {
      const exchange = faultOf(fault);
      settle(exchange, request.reusedSocket && !answered && exchange.kind === 'failed' && exchange.error === 'reset');
    });
    request.end(asked.body);
  });

/**
 * A kept connection may be closed by the other side while the request is on its way (RFC 9112, 9.3.1). It is sent once more, over a
 * fresh connection and within the same time: receivers know a repeat by `webhook-id`.
 */
const exchange = async (url: URL, asked: WebhookRequest, connections: WebhookConnections): Promise<Exchange> => {
  const deadline = performance.now() + (asked.timeoutMs ?? TIMEOUT_MS);
  const first = await send(url, asked, connections.agent(url.protocol, false), deadline - performance.now());
  if (!first.stale) return first.exchange;
  const again = await send(
    url,
    asked,
    connections.agent(url.protocol, true),
    Math.max(0, deadline - performance.now()),
  );
  return again.exchange;
};

const ofProcess = new Map<boolean, WebhookConnections>();
const connectionsOf = ({ allowLoopbackHttp, connections }: PostOptions): WebhookConnections => {
  const known = connections ?? ofProcess.get(allowLoopbackHttp);
  if (known) return known;
  const made = createConnections({ allowLoopbackHttp });
  ofProcess.set(allowLoopbackHttp, made);
  return made;
};

/**
 * Posts to a stranger's address, bounded in time and in what is read. Never throws, never follows a redirect, never uses a proxy,
 * and connects to nothing but public hosts, or to loopback where the policy says so.
 */
export const postWebhook = async (request: WebhookRequest, options: PostOptions): Promise<PostOutcome> => {
  const from = performance.now();
  const timed = (outcome: Exchange): PostOutcome => ({ ...outcome, durationMs: Math.round(performance.now() - from) });
  const slow = request.slow && setTimeout(request.slow.call, request.slow.afterMs);
  try {
    const connections = connectionsOf(options);
    // Checked again at every attempt: what is allowed may have become less since the address was stored.
    const allowLoopbackHttp = options.allowLoopbackHttp && connections.allowLoopbackHttp;
    const fault = checkEndpoint(request.url, { allowLoopbackHttp });
    if (fault) return timed(failed('denied_address', fault));
    return timed(await exchange(new URL(request.url), request, connections));
  } catch (fault) {
    return timed(failed('connect', `the request could not be made: ${codeOf(fault)}`));
  } finally {
    clearTimeout(slow);
  }
};

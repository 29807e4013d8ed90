import type * as http from 'node:http';
import { checkEndpoint, type EndpointPolicy } from '../../domain/core/public-address.ts';
import type { PostOutcome } from '../../domain/webhooks/ports.ts';
import { type ConnectError, ConnectFault, codeOf, createConnections, type WebhookConnections } from './connections.ts';
import { beginRequest } from './request.ts';
import { MAX_BODY_BYTES, responseHeaders, responseText } from './response.ts';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole exchange (DNS, connect, request and full response), in ms. */
  readonly timeoutMs?: number;
  /** Called once if the response is not complete after `afterMs`. */
  readonly slow?: { readonly afterMs: number; readonly call: () => void };
}

export interface PostOptions extends EndpointPolicy {
  /** Defaults to those of the process. */
  readonly connections?: WebhookConnections;
}

export type PostError = ConnectError | 'reset' | 'bad_answer';

const TIMEOUT_MS = 15_000;
/** 1xx responses before the final one (RFC 9110, 15.2); more are an attack on our CPU time. */
const MAX_INTERIM = 8;

/** Headers that frame the message on its connection; a caller cannot set them. */
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
  // Bodies are never decompressed; this asks for readable text.
  'accept-encoding': 'identity',
  'content-length': Buffer.byteLength(body),
});

const faultOf = (fault: unknown): Exchange => {
  if (fault instanceof ConnectFault) return failed(fault.error, fault.message);
  const code = codeOf(fault);
  return failed(code.startsWith('HPE_') ? 'bad_answer' : 'reset', code);
};

/** Reads a response to its end, or until it exceeds what is kept. */
const readResponse = (
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
      headers: responseHeaders(response.rawHeaders),
      body: responseText(Buffer.concat(chunks)),
    });
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size <= MAX_BODY_BYTES) return;
    finish();
    request.destroy();
  });
  response.on('end', finish);
  // A truncated response is a failure: the receiver may not have done what its status says.
  response.on('error', (fault) => settle(faultOf(fault)));
};

interface Sent {
  readonly exchange: Exchange;
  /** The server closed an idle connection before any byte of a response. */
  readonly stale: boolean;
}

const send = (url: URL, webhook: WebhookRequest, agent: http.Agent, ms: number): Promise<Sent> =>
  new Promise((resolve) => {
    const request = beginRequest(url, { method: 'POST', headers: headersOf(webhook), agent });
    let answered = false;
    // Settles right away: a request that still waits for its connection would not report its destruction.
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
      if (++interim <= MAX_INTERIM) return;
      settle(failed('bad_answer', 'too many interim answers'));
      request.destroy();
    });
    request.on('upgrade', (_, socket) => {
      settle(failed('bad_answer', 'a change of protocol that was not asked for'));
      socket.destroy();
    });
    request.on('response', (response) => {
      answered = true;
      readResponse(request, response, settle);
    });
    request.on('error', (fault) => {
      const exchange = faultOf(fault);
      settle(exchange, request.reusedSocket && !answered && exchange.kind === 'failed' && exchange.error === 'reset');
    });
    request.end(webhook.body);
  });

/**
 * A server may close a reused connection while a request is on its way (RFC 9112, 9.3.1). The request is then repeated once, on a fresh
 * connection and within the same timeout; receivers detect repeats by `webhook-id`.
 */
const exchange = async (url: URL, webhook: WebhookRequest, connections: WebhookConnections): Promise<Exchange> => {
  const deadline = performance.now() + (webhook.timeoutMs ?? TIMEOUT_MS);
  const first = await send(url, webhook, connections.agent(url.protocol, false), deadline - performance.now());
  if (!first.stale) return first.exchange;
  const again = await send(
    url,
    webhook,
    connections.agent(url.protocol, true),
    Math.max(0, deadline - performance.now()),
  );
  return again.exchange;
};

const processConnections = new Map<boolean, WebhookConnections>();
const connectionsOf = ({ allowLoopbackHttp, connections }: PostOptions): WebhookConnections => {
  const known = connections ?? processConnections.get(allowLoopbackHttp);
  if (known) return known;
  const made = createConnections({ allowLoopbackHttp });
  processConnections.set(allowLoopbackHttp, made);
  return made;
};

/**
 * Posts to an untrusted URL, bounded in time and size. Never throws, follows redirects or uses a proxy. Connects to public hosts only, and
 * to loopback if the policy allows it.
 */
export const postWebhook = async (request: WebhookRequest, options: PostOptions): Promise<PostOutcome> => {
  const from = performance.now();
  const timed = (outcome: Exchange): PostOutcome => ({ ...outcome, durationMs: Math.round(performance.now() - from) });
  const slow = request.slow && setTimeout(request.slow.call, request.slow.afterMs);
  try {
    const connections = connectionsOf(options);
    // Checked on every attempt: the policy may have become stricter since the URL was stored.
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

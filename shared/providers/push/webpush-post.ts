import { checkEndpoint } from '../../domain/core/public-address.ts';
import { ConnectFault, codeOf, type WebhookConnections } from '../webhooks/connections.ts';
import { beginRequest } from '../webhooks/request.ts';
import { MAX_BODY_BYTES, responseHeaders } from '../webhooks/response.ts';

/** Result of a request. `denied` and `not_sent`: certainly no byte of it left this machine. `lost`: it may have been processed. */
export type PostReply =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'denied'; readonly detail: string }
  | { readonly kind: 'not_sent'; readonly detail: string }
  | { readonly kind: 'lost'; readonly detail: string };

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** For the whole exchange, in ms. */
  readonly timeoutMs: number;
}

const unsent = (fault: ConnectFault): PostReply => ({
  kind: fault.error === 'denied_address' ? 'denied' : 'not_sent',
  detail: fault.message,
});

const exchange = (url: URL, { headers, body, timeoutMs }: Post, connections: WebhookConnections): Promise<PostReply> =>
  new Promise((resolve) => {
    const request = beginRequest(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': body.byteLength },
      agent: connections.agent(url.protocol, false),
    });
    let connected = false;
    // Runs until the body ends: a slowly dripping body would hold the connection forever.
    const timer = setTimeout(() => {
      resolve({ kind: connected ? 'lost' : 'not_sent', detail: 'TimeoutError' });
      request.destroy();
    }, timeoutMs);
    request.on('socket', () => {
      connected = true;
    });
    request.on('response', (response) => {
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.byteLength;
        if (size > MAX_BODY_BYTES) request.destroy();
      });
      // Status and headers say everything; the body is read so that the connection can be reused.
      resolve({ kind: 'answered', status: response.statusCode ?? 0, headers: responseHeaders(response.rawHeaders) });
      response.on('error', () => {});
    });
    request.on('upgrade', (_, socket) => socket.destroy());
    request.on('error', (fault) =>
      resolve(fault instanceof ConnectFault ? unsent(fault) : { kind: 'lost', detail: codeOf(fault) }),
    );
    request.on('close', () => {
      clearTimeout(timer);
      resolve({ kind: 'lost', detail: 'closed without an answer' });
    });
    request.end(body);
  });

/**
 * Posts to an endpoint that a browser supplied, over connections that reach public hosts only and use no proxy. Never throws, follows
 * redirects or retries: a retry could show a notification twice.
 */
export const postToPushEndpoint = async (post: Post, connections: WebhookConnections): Promise<PostReply> => {
  const fault = checkEndpoint(post.url, connections);
  if (fault) return { kind: 'denied', detail: `the address ${fault}` };
  try {
    return await exchange(new URL(post.url), post, connections);
  } catch (thrown) {
    return { kind: 'not_sent', detail: codeOf(thrown) };
  }
};

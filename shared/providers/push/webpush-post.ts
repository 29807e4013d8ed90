import { checkEndpoint } from '../../domain/webhooks/address.ts';
import { answerHeaders, MOST_BODY_BYTES } from '../webhooks/answer.ts';
import { ConnectFault, codeOf, type WebhookConnections } from '../webhooks/connections.ts';
import { beginRequest } from '../webhooks/request.ts';

/** What became of a post. `denied` and `not_sent` are certain: no byte of it left. After that, all is `lost`. */
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
    // The clock runs until the body has ended, too: one that drips would keep its connection for ever.
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
        if (size > MOST_BODY_BYTES) request.destroy();
      });
      // A push service says all by status and headers; its body is read so that the connection can be used again.
      resolve({ kind: 'answered', status: response.statusCode ?? 0, headers: answerHeaders(response.rawHeaders) });
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
 * Posts to an address that a browser gave out, over the connections for strangers: nothing but public hosts, checked again at every
 * connection, no proxy. Never throws, follows no redirect, and never posts twice: a device would show it twice.
 */
export const postToStranger = async (post: Post, connections: WebhookConnections): Promise<PostReply> => {
  const fault = checkEndpoint(post.url, connections);
  if (fault) return { kind: 'denied', detail: `the address ${fault}` };
  try {
    return await exchange(new URL(post.url), post, connections);
  } catch (thrown) {
    return { kind: 'not_sent', detail: codeOf(thrown) };
  }
};

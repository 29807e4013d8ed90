import { onTestFinished } from 'vitest';
import type { PostOutcome } from '../../shared/domain/webhooks/ports.ts';
import type { ConnectionOptions } from '../../shared/providers/webhooks/connections.ts';
import { postWebhook, type WebhookRequest } from '../../shared/providers/webhooks/post.ts';
import { connectionsTo, type Endpoint, rawTlsEndpoint } from '../support/webhooks/endpoints.ts';

export const NAME = 'https://hooks.example.com/in?a=1';

/** Posts to an endpoint under a public name, over connections that the following posts may share. */
export const client = (endpoint: Endpoint, options: Partial<ConnectionOptions> = {}) => {
  const connections = connectionsTo(endpoint.port, options);
  onTestFinished(async () => {
    connections.close();
    await endpoint.close();
  });
  return (fields: Partial<WebhookRequest> = {}): Promise<PostOutcome> =>
    postWebhook(
      { url: NAME, headers: {}, body: '{"n":1}', ...fields },
      { allowLoopbackHttp: options.allowLoopbackHttp ?? false, connections },
    );
};

/** An endpoint that answers each request with these bytes. */
export const answering = (text: string | Buffer, end = true) =>
  rawTlsEndpoint((socket) => void (end ? socket.end(text) : socket.write(text)));

export const OK = 'HTTP/1.1 200 OK\r\n';

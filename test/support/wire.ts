import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request that is sent as it is: the target is not normalized, headers may repeat. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body?: Buffer;
}
export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly ms: number;
}

/** Sends requests over kept-alive connections. */
export const wireClient = (url: string) => {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true });
  const send = ({ method, target, headers, body }: WireRequest): Promise<WireAnswer> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const length = body ? ['Content-Length', String(body.length)] : [];
      const all = ['Host', hostname, ...headers, ...length];
      const outgoing = request({ hostname, port, method, path: target, agent, headers: all }, (response) => {
        const { statusCode: status = 0, headers: answered } = response;
        text(response).then(
          (body) => resolve({ status, headers: answered, text: body, ms: performance.now() - startedAt }),
          reject,
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  return { send, close: () => agent.destroy() };
};

import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** A request as its bytes: a target that no client tidies, headers as they stand, repeated ones too. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body?: Buffer;
}
export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly ms: number;
}

/** Sends requests over kept connections. */
export const wireClient = (url: string) => {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true });
  const send = ({ method, target, headers, body }: WireRequest): Promise<WireAnswer> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const length = body ? ['Content-Length', String(body.length)] : [];
      const options = {
        hostname,
        port,
        method,
        path: target,
        agent,
        headers: ['Host', hostname, ...headers, ...length],
      };
      const outgoing = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            ms: performance.now() - startedAt,
          });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  return { send, close: () => agent.destroy() };
};

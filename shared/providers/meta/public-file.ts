import type * as http from 'node:http';
import { checkEndpoint } from '../../domain/core/public-address.ts';
import { ConnectFault, codeOf, type WebhookConnections } from '../webhooks/connections.ts';
import { beginRequest } from '../webhooks/request.ts';

export type FileReply =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'fault'; readonly detail: string };

interface Limits {
  readonly maxBytes: number;
  /** For the whole exchange, in ms. */
  readonly timeoutMs: number;
}

const wordsOf = (fault: unknown): string => (fault instanceof ConnectFault ? fault.error : codeOf(fault));

const collect = (response: http.IncomingMessage, maxBytes: number, settle: (reply: FileReply) => void): void => {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size > maxBytes) {
      settle({ kind: 'fault', detail: `longer than ${maxBytes} bytes` });
      response.destroy();
    } else chunks.push(chunk);
  });
  response.on('end', () => settle({ kind: 'read', bytes: Buffer.concat(chunks) }));
  response.on('error', (fault) => settle({ kind: 'fault', detail: wordsOf(fault) }));
};

/**
 * Downloads a file from a customer's URL, over connections that reach public hosts only. Follows no redirects, sends no credentials, and
 * aborts after `maxBytes`. Never throws; `detail` contains only error codes and our own text.
 */
export const readPublicFile = (
  text: string,
  connections: WebhookConnections,
  { maxBytes, timeoutMs }: Limits,
): Promise<FileReply> =>
  new Promise((resolve) => {
    const refused = checkEndpoint(text, connections);
    if (refused !== undefined) return resolve({ kind: 'fault', detail: 'no address that may be called' });
    const url = new URL(text);
    const request = beginRequest(url, {
      method: 'GET',
      headers: { accept: 'image/*, video/*, application/pdf', 'accept-encoding': 'identity' },
      agent: connections.agent(url.protocol, true),
    });
    const settle = (reply: FileReply): void => {
      clearTimeout(timer);
      resolve(reply);
      request.destroy();
    };
    const timer = setTimeout(() => settle({ kind: 'fault', detail: 'not read in time' }), timeoutMs);
    request.on('response', (response) => {
      if (response.statusCode !== 200) return settle({ kind: 'fault', detail: `HTTP ${response.statusCode}` });
      return collect(response, maxBytes, settle);
    });
    request.on('error', (fault) => settle({ kind: 'fault', detail: wordsOf(fault) }));
    request.end();
  });

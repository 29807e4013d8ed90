import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayAnswer } from './problems.ts';

/** Lambda's limit of a synchronous request payload, in bytes; the deployment has the same. */
export const BODY_LIMIT = 6_291_456;
/** The body exceeds the limit; nothing of it is kept. */
export const TOO_LARGE: unique symbol = Symbol('too large');

/**
 * How long the rest of a refused body is read, in ms. Closing immediately would reset the connection before the client reads the response.
 */
const LINGER_MS = 1_500;
/** Time-out for receiving a buffered body, in ms; streamed bodies may take longer. */
const BODY_TIMEOUT_MS = 120_000;

const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/** The request's body, or `TOO_LARGE` as soon as it exceeds the limit. Undefined, synchronously, for a request without a body. */
export const readBody = (
  request: IncomingMessage,
): undefined | typeof TOO_LARGE | Promise<Buffer | typeof TOO_LARGE> => {
  if (!hasBody(request)) return undefined;
  if (Number(request.headers['content-length']) > BODY_LIMIT) return TOO_LARGE;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT) return void chunks.push(chunk);
      request.off('data', onData);
      request.pause();
      chunks.length = 0;
      resolve(TOO_LARGE);
    };
    const timer = setTimeout(() => request.destroy(), BODY_TIMEOUT_MS);
    request.once('close', () => clearTimeout(timer));
    request.on('data', onData);
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once('error', reject);
  });
};

/** Responds to a request whose body was not read, then lingers. */
export const refuseBody = (
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: GatewayAnswer,
): void => {
  response.writeHead(status, { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) });
  response.write(body);
  linger(request, response);
};

/** Lingering close: discards the rest of the request body for up to LINGER_MS, then ends the response that was already written. */
export const linger = (request: IncomingMessage, response: ServerResponse): void => {
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once('close', end);
  request.once('end', end);
  request.resume();
};

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayAnswer } from './problems.ts';

/** What a Lambda function takes, and so what the deployment takes. */
export const BODY_LIMIT = 6_291_456;
/** The body is beyond the limit: nothing of it is kept. */
export const TOO_LARGE: unique symbol = Symbol('too large');

/** How long a client may go on sending after it was refused: closing at once would take the answer from under it. */
const LINGER_MS = 1_500;
/** How long a body that is read as a whole may take to arrive: what is streamed may take longer. */
const ARRIVAL_MS = 120_000;

const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/** The request's whole body, or `TOO_LARGE` as soon as that is known. Undefined, and at once, for a request without one. */
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
    const late = setTimeout(() => request.destroy(), ARRIVAL_MS);
    request.once('close', () => clearTimeout(late));
    request.on('data', onData);
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once('error', reject);
  });
};

/** Refuses a body: answers in full, and lingers. */
export const refuseBody = (
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: GatewayAnswer,
): void => {
  response.writeHead(status, { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) });
  response.write(body);
  linger(request, response);
};

/** Ends an answer that was written before the body had arrived: throws away what still comes for a moment, then ends the connection. */
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

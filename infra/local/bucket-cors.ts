import type { IncomingMessage, ServerResponse } from 'node:http';
import { UPLOAD_RULE } from '../console/page.ts';

/** Whether the bucket's rule covers a request of a page: of one of these origins, that puts a file. */
const isCovered = ({ headers }: IncomingMessage, origins: readonly string[], method: string | undefined): boolean =>
  origins.includes(headers.origin ?? '') && method === UPLOAD_RULE.method;

const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

const requestedHeaders = ({ headers }: IncomingMessage): string[] =>
  String(headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');

/**
 * Answers a browser's CORS preflight for a PUT, like S3 with the rules of the deployed bucket; false for any other request, whose response
 * then has the CORS headers. An origin without a rule is rejected.
 */
export const answerCors = (request: IncomingMessage, response: ServerResponse, origins: readonly string[]): boolean => {
  const { method, headers } = request;
  const preflight = isPreflight(request);
  const covered = isCovered(request, origins, preflight ? headers['access-control-request-method'] : method);
  if (covered) {
    response.setHeader('access-control-allow-origin', headers.origin ?? '');
    response.setHeader('vary', 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method');
  }
  if (!preflight) return false;
  if (!covered || requestedHeaders(request).some((name) => name !== UPLOAD_RULE.header)) {
    response.removeHeader('access-control-allow-origin');
    response.writeHead(403).end();
    return true;
  }
  response.setHeader('access-control-allow-methods', UPLOAD_RULE.method);
  response.setHeader('access-control-allow-headers', UPLOAD_RULE.header);
  response.setHeader('access-control-max-age', UPLOAD_RULE.maxAgeSeconds);
  response.writeHead(200).end();
  return true;
};

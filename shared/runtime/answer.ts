import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { PROBLEMS, Refusal, refuse, Unavailable } from '../domain/core/errors.ts';
import { logger } from '../wiring/process/observe.ts';
import { BEARER_CHALLENGE, PROBLEM_CONTENT_TYPE, problemBody } from './problem.ts';

type Headers = Readonly<Record<string, string>>;

/** A success with a status or headers that the contract alone does not determine. */
export class Success<out S extends number = number, out B = unknown> {
  readonly status: S;
  readonly body: B;
  readonly headers: Headers | undefined;
  /** Makes the type nominal, so that a body with these three fields is not mistaken for it. */
  protected readonly isSuccess = true;
  constructor(status: S, body: B, headers?: Headers) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A success with headers, or with one of several statuses. The status is kept as a literal type, so that the contract can check it. */
export const respond = <const S extends number, B>(status: S, body: B, headers?: Headers): Success<S, B> =>
  new Success(status, body, headers);

/** The gateway's response: a problem document, or the success as JSON, as text, or empty. */
export const proxyResult = (event: APIGatewayProxyEvent, outcome: Success | Refusal): APIGatewayProxyResult => {
  const { requestId } = event.requestContext;
  const headers: Record<string, string> = { 'x-request-id': requestId, 'cache-control': 'no-store' };
  if (outcome instanceof Refusal) {
    const { details, name } = outcome;
    if (details.retryAfterSeconds !== undefined) headers['retry-after'] = String(details.retryAfterSeconds);
    if (name === 'UNAUTHORIZED') headers['www-authenticate'] = BEARER_CHALLENGE;
    headers['content-type'] = PROBLEM_CONTENT_TYPE;
    const body = JSON.stringify(problemBody(name, details, { instance: event.path, requestId }));
    return { statusCode: PROBLEMS[name].status, headers, body };
  }
  const { status: statusCode, body } = outcome;
  Object.assign(headers, outcome.headers);
  if (body === undefined || typeof body === 'string') return { statusCode, headers, body: body ?? '' };
  headers['content-type'] ??= 'application/json';
  return { statusCode, headers, body: JSON.stringify(body) };
};

/** Converts a fault to a problem; the only place that does. Internal details are only logged. */
export const refusalOf = (error: unknown): Refusal<'SERVICE_UNAVAILABLE' | 'INTERNAL_ERROR'> => {
  if (error instanceof Unavailable) {
    logger.warn('unavailable', { reason: error.message });
    return refuse('SERVICE_UNAVAILABLE', {
      detail: 'The service is busy; try again.',
      retryAfterSeconds: error.retryAfterSeconds,
    });
  }
  logger.error('fault', error instanceof Error ? { fault: error.name, stack: error.stack } : { fault: 'not an Error' });
  return refuse('INTERNAL_ERROR', 'Something failed on our side; the request id finds it in the log.');
};
